/** Installs the dependencies when the lock file is not what is installed, and says how far it is. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fail, ownNode, root, run, say } from './project.mjs';

const LOCK = join(root, 'package-lock.json');
const STAMP = join(root, 'node_modules', '.talaria-install');
/** What npm wrote about the tree it made. */
const INSTALLED_LOCK = join(root, 'node_modules', '.package-lock.json');
/** node_modules measured 960 MB, and npm's cache needs room beside it. */
const NEEDED_BYTES = 1_500_000_000;
/** A line at least this often while packages arrive, in ms. */
const PROGRESS_EVERY_MS = 3_000;

const lockHash = () => createHash('sha256').update(readFileSync(LOCK)).digest('hex');

function stamped() {
  return existsSync(STAMP) && readFileSync(STAMP, 'utf8') === lockHash();
}

/** True when somebody ran npm by hand and every needed package of the lock is there in its version. */
function installedByHand() {
  if (!existsSync(INSTALLED_LOCK)) return false;
  const wanted = JSON.parse(readFileSync(LOCK, 'utf8')).packages;
  const present = JSON.parse(readFileSync(INSTALLED_LOCK, 'utf8')).packages;
  return Object.entries(wanted).every(([path, entry]) => path === '' || entry.optional || entry.devOptional || present[path]?.version === entry.version);
}

/** True when nothing has to be installed. */
export function isInstalled() {
  if (!existsSync(ownNode)) return false;
  if (stamped()) return true;
  if (!installedByHand()) return false;
  writeFileSync(STAMP, lockHash());
  return true;
}

function roomOrFail() {
  const { bavail, bsize } = statfsSync(root);
  if (bavail * bsize >= NEEDED_BYTES) return;
  fail(`the disk has ${Math.round((bavail * bsize) / 1e6)} MB free, the dependencies need about ${NEEDED_BYTES / 1e6} MB.`, 'Make room and start again.');
}

/** Cause and next step for what npm says when it fails. */
const FAILURES = [
  [/ENOSPC|no space left/i, 'the disk is full.', 'Make room and start again.'],
  [/EAI_AGAIN|ENOTFOUND|ECONNREFUSED|ETIMEDOUT|ECONNRESET|ENETUNREACH|network/i, 'the npm registry cannot be reached.', 'Check the network or proxy (`npm ping`), then start again: what has arrived is kept.'],
  [/EACCES|EPERM/, 'npm may not write here.', 'Make this folder yours (`chown`), then start again.'],
  [/E40[134]/, 'the npm registry refuses a package.', 'See `npm config get registry` and the lines above.'],
  [/npm (?:ERR!|error).*(?:lock|sync)/i, 'package.json and package-lock.json do not agree.', 'Run `npm install` once, then start again.'],
];

/**
 * What npm is asked for, in order. Install scripts are off but for `node`, whose script fetches the program that Talaria runs on.
 * Everything else native comes prebuilt, and `npm ci` would still start node-gyp for it (the lock file does not keep a package's
 * `gypfile: false`), which needs Python, make and headers from nodejs.org to build nothing.
 */
export const NPM_STEPS = [
  /** The build tools are development dependencies: NODE_ENV=production must not leave them out. */
  ['ci', '--include=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=http'],
  ['rebuild', 'node', '--no-ignore-scripts', '--no-audit', '--no-fund', '--loglevel=http'],
];

/** Runs npm's steps and stops the process with words when one fails. */
export async function install() {
  roomOrFail();
  const total = Object.keys(JSON.parse(readFileSync(LOCK, 'utf8')).packages).length;
  say('Installing the dependencies (once; one to three minutes) …');
  let arrived = 0;
  let last = '';
  const onLine = (line) => { if (/^npm http (?:fetch|cache) /.test(line)) arrived += 1; };
  /** Nothing is said twice: npm unpacks in silence, and a line per tick would only look busy. */
  const progress = () => {
    const now = arrived < total * 0.95 ? `  ${arrived} of about ${total} packages` : '  all packages are here; unpacking (the longer part) …';
    if (now !== last) say(now);
    last = now;
  };
  const npm = process.env.npm_execpath;
  const started = Date.now();
  const ticker = setInterval(progress, PROGRESS_EVERY_MS);
  for (const args of NPM_STEPS) {
    const { code, output } = await (npm && npm.endsWith('.js') ? run(process.execPath, [npm, ...args], { onLine }) : run('npm', args, { onLine }));
    if (code === 0) continue;
    clearInterval(ticker);
    const errors = output.split('\n').filter((line) => /^npm (?:ERR!|error)/.test(line)).slice(0, 12).join('\n');
    process.stderr.write(`${errors === '' ? output.slice(-2_000) : errors}\n`);
    const known = FAILURES.find(([pattern]) => pattern.test(errors === '' ? output : errors));
    fail(known?.[1] ?? `\`npm ${args[0]}\` failed with code ${code}.`, known?.[2] ?? 'The lines above are npm\'s own.');
  }
  clearInterval(ticker);
  if (!existsSync(ownNode)) {
    fail('npm installed everything but the Node that Talaria runs on.', 'Run `npm rebuild node --no-ignore-scripts`, then start again.');
  }
  writeFileSync(STAMP, lockHash());
  say(`Installed in ${Math.round((Date.now() - started) / 1000)} s.`);
}
