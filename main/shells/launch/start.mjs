/**
 * `npm start [-- --browser | --electron] [--port N] [--no-open] [--home DIR]`: installs and builds what is missing or stale, then opens
 * Talaria in Electron, or says why not and opens it in the browser.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { buildOrFail, staleTargets } from './build.mjs';
import { electronOrWhy } from './electron-binary.mjs';
import { install, isInstalled } from './install.mjs';
import { become, checkNode, root, runtimeNode, say } from './project.mjs';

/** Electron that ends with an error this soon never showed a window, in ms. */
const EARLY_END_MS = 5_000;

/** Resolves with its exit code, or undefined when it ended too early to have been of use. */
function openElectron(path, args) {
  const started = Date.now();
  return new Promise((resolve) => {
    const child = spawn(path, [root, ...args], { stdio: 'inherit' });
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
    child.on('error', () => resolve(undefined));
    child.on('close', (code) => resolve(code !== 0 && Date.now() - started < EARLY_END_MS ? undefined : code ?? 1));
  });
}

checkNode();
const args = process.argv.slice(2);
const only = args.includes('--browser') ? 'browser' : args.includes('--electron') ? 'electron' : undefined;
const rest = args.filter((word) => word !== '--browser' && word !== '--electron');

if (!isInstalled()) await install();
const stale = staleTargets();
if (stale.length > 0) await buildOrFail(stale);

if (only !== 'browser') {
  const electron = await electronOrWhy({ again: only === 'electron' });
  if (electron.path) {
    const code = await openElectron(electron.path, rest);
    if (code !== undefined) process.exit(code);
    say('Electron ended before it showed a window (its words are above); opening in the browser instead.');
  } else {
    say(`Electron is not used: ${electron.why}. Opening in the browser instead.`);
  }
}
process.exit(await become(runtimeNode(), [join(root, 'main', 'shells', 'launch', 'talaria.mjs'), 'serve', ...rest]));
