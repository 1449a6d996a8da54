/** `npm run build [-- --force] [node] [renderer] [preload]`: builds what is stale. Stale = a source's path, size or time is not what it was. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { checkNode, fail, root, run, runtimeNode, say } from './project.mjs';

const dist = join(root, 'dist');
const STAMPS = join(dist, '.stamps.json');

/** Each target: what it is made from, what must exist afterwards, and how it is made. */
const TARGETS = {
  node: {
    words: 'host and tools',
    sources: ['tools', 'environments', 'main', 'preload/contract', 'vite.node.config.ts', 'vite.worker.config.ts'],
    output: 'main/bridge/serve.js',
    configs: [['vite.node.config.ts', {}], ['vite.worker.config.ts', {}]],
  },
  renderer: {
    words: 'screens',
    sources: ['renderer', 'assets', 'preload/contract', 'vite.config.ts'],
    output: 'renderer/index.html',
    configs: [['vite.config.ts', {}]],
  },
  preload: {
    words: 'preloads',
    sources: ['preload', 'vite.preload.config.ts'],
    output: 'preload/browser.js',
    configs: [['vite.preload.config.ts', { TALARIA_PRELOAD: 'electron' }], ['vite.preload.config.ts', { TALARIA_PRELOAD: 'browser' }]],
  },
};
/** Folders of the one-to-one build, where a deleted source must not live on as a built module (discovery would find it). */
const MIRRORED = ['tools', 'environments', 'main', 'preload/contract'];

function* filesBelow(path) {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) return;
  if (!stats.isDirectory()) { yield [path, stats]; return; }
  for (const name of readdirSync(path).sort()) yield* filesBelow(join(path, name));
}

function fingerprint(target) {
  const hash = createHash('sha256');
  for (const source of [...TARGETS[target].sources, 'package-lock.json']) {
    for (const [file, stats] of filesBelow(join(root, source))) hash.update(`${relative(root, file)}\0${stats.size}\0${stats.mtimeMs}\n`);
  }
  return hash.digest('hex');
}

function readStamps() {
  try {
    return JSON.parse(readFileSync(STAMPS, 'utf8'));
  } catch {
    return {}; // no build yet, or one that was interrupted: everything is stale
  }
}

/** Names of the targets whose sources differ from what is in `dist/`. */
export function staleTargets() {
  const stamps = readStamps();
  return Object.keys(TARGETS).filter((target) => stamps[target] !== fingerprint(target) || !existsSync(join(dist, TARGETS[target].output)));
}

function removeOrphans() {
  for (const folder of MIRRORED) {
    for (const [file] of filesBelow(join(dist, folder))) {
      if (!existsSync(join(root, relative(dist, file).replace(/\.js$/, '.ts')))) rmSync(file);
    }
  }
}

async function buildTarget(target, node) {
  const before = fingerprint(target);
  for (const [config, variables] of TARGETS[target].configs) {
    const { code, output } = await run(node, [join(root, 'node_modules', 'vite', 'bin', 'vite.js'), 'build', '--config', config], { env: { ...process.env, ...variables, NODE_ENV: 'production', NO_COLOR: '1' } });
    if (code !== 0) return { target, output: stripVTControlCharacters(output) };
  }
  if (target === 'node') removeOrphans();
  /** Read again at the end: another build may have finished meanwhile. The print is from before, so an edit during the build is built next time. */
  writeFileSync(STAMPS, JSON.stringify({ ...readStamps(), [target]: before }, null, 2));
  return { target };
}

/** Builds the named targets. Resolves with the failures: `{ target, output }` each. */
export async function build(targets) {
  const node = runtimeNode();
  if (!node) fail('the dependencies are not installed.', 'Run `npm ci` (or `npm start`, which does it).');
  mkdirSync(dist, { recursive: true });
  if (targets.length > 0) say(`Building ${targets.map((target) => TARGETS[target].words).join(', ')} …`);
  const started = Date.now();
  const results = await Promise.all(targets.map((target) => buildTarget(target, node)));
  const failures = results.filter((result) => result.output !== undefined);
  if (targets.length > 0 && failures.length === 0) say(`Built in ${((Date.now() - started) / 1000).toFixed(1)} s.`);
  return failures;
}

/** Builds and ends the process with the compiler's words when something does not build. */
export async function buildOrFail(targets) {
  const failures = await build(targets);
  for (const { target, output } of failures) process.stderr.write(`\n${output.trim()}\ntalaria: the ${TARGETS[target].words} did not build.\n`);
  if (failures.length > 0) process.exit(1);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  checkNode();
  const named = process.argv.slice(2).filter((word) => !word.startsWith('-'));
  const unknown = named.find((word) => !Object.hasOwn(TARGETS, word));
  if (unknown !== undefined) fail(`there is no build target ${JSON.stringify(unknown)}.`, `Targets: ${Object.keys(TARGETS).join(', ')}.`, 2);
  const wanted = named.length > 0 ? named : Object.keys(TARGETS);
  const stale = process.argv.includes('--force') ? wanted : staleTargets().filter((target) => wanted.includes(target));
  await buildOrFail(stale);
  if (stale.length === 0) say('Everything is built.');
}
