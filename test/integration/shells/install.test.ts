import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..', '..');
/** A stand-in for npm that notes what it was asked, and brings the Node when its script may run. */
const FAKE_NPM = `
const { appendFileSync, mkdirSync, writeFileSync } = require('node:fs');
const args = process.argv.slice(2);
appendFileSync('asked.jsonl', JSON.stringify(args) + '\\n');
if (args[0] === 'ci') mkdirSync('node_modules', { recursive: true });
if (args[0] === process.env.FAIL_AT) { console.error('npm error ENOSPC: no space left on device'); process.exit(1); }
if (args[0] === 'rebuild') { mkdirSync('node_modules/node/bin', { recursive: true }); writeFileSync('node_modules/node/bin/node' + (process.platform === 'win32' ? '.exe' : ''), ''); }
`;
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'talaria-install-'));
  const launch = join(folder, 'main', 'shells', 'launch');
  await mkdir(launch, { recursive: true });
  for (const name of ['install.mjs', 'project.mjs']) await cp(join(root, 'main', 'shells', 'launch', name), join(launch, name));
  await writeFile(join(folder, 'package-lock.json'), JSON.stringify({ packages: { '': {} } }));
  await writeFile(join(folder, 'npm-cli.js'), FAKE_NPM);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Runs the launcher's `install()` in the folder and prints whether it counts as installed before and after. */
function installed(env: Record<string, string> = {}) {
  const module = pathToFileURL(join(folder, 'main', 'shells', 'launch', 'install.mjs')).href;
  const program = `const m = await import(${JSON.stringify(module)}); const before = m.isInstalled(); await m.install(); console.log(before, m.isInstalled());`;
  return promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], { cwd: folder, env: { ...process.env, npm_execpath: join(folder, 'npm-cli.js'), ...env } });
}
const asked = async () => (await readFile(join(folder, 'asked.jsonl'), 'utf8')).trim().split('\n').map((line) => JSON.parse(line) as string[]);

test('install scripts are off for every package but the Node the app runs on', async () => {
  const { stdout } = await installed();
  const [ci, rebuild, ...more] = await asked();
  expect(ci?.[0]).toBe('ci');
  expect(ci).toEqual(expect.arrayContaining(['--ignore-scripts', '--include=dev']));
  expect(rebuild?.slice(0, 2)).toEqual(['rebuild', 'node']);
  expect(rebuild).toContain('--no-ignore-scripts');
  expect(more).toEqual([]);
  expect(stdout).toContain('false true');
});

test.each(['ci', 'rebuild'])('when "npm %s" fails the cause is named and nothing counts as installed', async (step) => {
  const failure = await installed({ FAIL_AT: step }).catch((error: unknown) => error as { code: number; stderr: string });
  expect(failure).toMatchObject({ code: 1, stderr: expect.stringContaining('talaria: the disk is full.') });
  expect((await asked()).at(-1)?.[0]).toBe(step);
});

test('no package that the app needs would have had to run a script of its own', async () => {
  const { packages } = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as { packages: Record<string, { hasInstallScript?: boolean }> };
  const withScripts = Object.entries(packages).filter(([, entry]) => entry.hasInstallScript).map(([path]) => path.replace(/^.*node_modules\//, ''));
  /** electron-winstaller picks a 7-Zip for Windows installers; protobufjs warns of versions; cbor-extract, ssh2 and cpu-features build optional speed-ups. */
  const harmlessWithout = ['cbor-extract', 'cpu-features', 'electron-winstaller', 'protobufjs', 'ssh2'];
  expect(withScripts.filter((name) => !harmlessWithout.includes(name))).toEqual(['node']);
});
