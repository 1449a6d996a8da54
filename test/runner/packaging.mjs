/**
 * Dry packaging: electron-builder packs the app around a stand-in for Electron's binary (a script that carries the fuse wire), and what
 * came out is looked at. The targets that make installers need downloads, so only the unpacked folder is made.
 */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../../main/shells/launch/project.mjs';
import { run, runtimeNode } from '../../main/shells/launch/project.mjs';

const require = createRequire(import.meta.url);
const PACKAGING_MS = 300_000;

/** Fuse positions of wire version 1, and what each must be after packaging (anchors D1). */
const FUSE_SENTINEL = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX';
const FUSES = [
  ['RunAsNode', '0'], ['EnableCookieEncryption', '1'], ['EnableNodeOptionsEnvironmentVariable', '0'], ['EnableNodeCliInspectArguments', '0'],
  ['EnableEmbeddedAsarIntegrityValidation', '1'], ['OnlyLoadAppFromAsar', '1'], ['LoadBrowserProcessSpecificV8Snapshot', '0'], ['GrantFileProtocolExtraPrivileges', '0'],
];
/** Electron ships with these states. */
const SHIPPED = '10110001';

function standIn(folder) {
  mkdirSync(join(folder, 'resources'), { recursive: true });
  mkdirSync(join(folder, 'locales'));
  const wire = Buffer.concat([Buffer.from(FUSE_SENTINEL), Buffer.from([1, SHIPPED.length]), Buffer.from(SHIPPED)]);
  writeFileSync(join(folder, 'electron'), Buffer.concat([Buffer.from('#!/bin/sh\nexit 0\n'), wire]));
  chmodSync(join(folder, 'electron'), 0o755);
  for (const name of ['LICENSE', 'LICENSES.chromium.html', 'chrome-sandbox', 'resources.pak', 'icudtl.dat', 'locales/en-US.pak']) writeFileSync(join(folder, name), 'stand-in');
  writeFileSync(join(folder, 'version'), version());
}

const version = () => JSON.parse(readFileSync(join(root, 'node_modules', 'electron', 'package.json'), 'utf8')).version;

async function pack(folder) {
  const overrides = [`electronDist=${join(folder, 'electron')}`, `electronVersion=${version()}`, `directories.output=${join(folder, 'out')}`];
  const args = [join(root, 'node_modules', 'electron-builder', 'cli.js'), '--linux', 'dir', '--publish', 'never', ...overrides.map((pair) => `-c.${pair}`)];
  return run(runtimeNode(), args, { timeoutMs: PACKAGING_MS, env: { ...process.env, CSC_IDENTITY_AUTO_DISCOVERY: 'false', ELECTRON_BUILDER_OFFLINE: 'true' } });
}

/** A process and a thread are started from these files, which import nothing else of ours. */
const PLUGIN_PROCESS = [
  ...['process', 'entry', 'peer', 'module-hooks', 'plugin-api', 'sync-calls', 'tool-context'].map((name) => `main/plugins/worker/${name}.js`), 'tools/result.js', 'tools/registry/check.js',
];

/** Each statement about the package: its words, and whether it holds or what is wrong. */
function statements(out) {
  const { listPackage, extractFile } = require('@electron/asar');
  const archive = join(out, 'resources', 'app.asar');
  const unpacked = join(out, 'resources', 'app.asar.unpacked');
  const files = listPackage(archive, { isPack: false }).map((file) => file.replaceAll('\\', '/'));
  const set = new Set(files);
  const ours = files.filter((file) => !file.startsWith('/node_modules/'));
  const none = (list) => (list.length === 0 ? true : list.slice(0, 10).join(' '));
  const all = (wanted) => none(wanted.filter((file) => !set.has(file)));
  const inUnpacked = (path) => existsSync(join(unpacked, path)) || path;
  const manifest = JSON.parse(extractFile(archive, 'package.json').toString('utf8'));
  const binary = readFileSync(join(out, 'talaria'), 'latin1');
  const wire = binary.slice(binary.indexOf(FUSE_SENTINEL) + FUSE_SENTINEL.length + 2);
  return [
    ['the start file, the screens and the preload are there', all([`/${manifest.main}`, '/dist/renderer/index.html', '/dist/preload/electron.cjs', '/dist/main/bridge/serve.js', '/dist/tools/registry.js'])],
    ['every built tool is there', all(builtTools())],
    ['no source, test or setting of the checkout is there', none(ours.filter((file) => /\.(?:ts|tsx|map)$|^\/(?:main|tools|environments|preload|renderer|test|docs|\.ci|\.git)(?:\/|$)|\.config\./.test(file)))],
    ['no secret is there', none(files.filter((file) => /(?:^|\/)(?:\.env[^/]*|\.npmrc|id_[a-z0-9]+|[^/]+\.(?:pem|key|p12|pfx)|secrets\.json|\.hermes)$/.test(file)))],
    ['no development package is there', none(['electron', 'vite', 'vitest', 'typescript', 'eslint', 'react', 'node', '@axe-core'].filter((name) => set.has(`/node_modules/${name}`)))],
    ['every run-time package is there', none(Object.keys(manifest.dependencies).filter((name) => !set.has(`/node_modules/${name}`)))],
    ['native modules lie outside of the archive', none(files.filter((file) => file.endsWith('.node') && !existsSync(join(unpacked, file))))],
    ['the terminal module lies outside of the archive', inUnpacked('node_modules/@lydell/node-pty-linux-x64/pty.node')],
    ['ripgrep lies outside of the archive', inUnpacked('node_modules/@vscode/ripgrep-linux-x64/bin/rg')],
    ['what runs plugins in a process of their own lies outside of the archive', none(PLUGIN_PROCESS.filter((file) => !existsSync(join(unpacked, 'dist', file))))],
    ['what converts pages in a thread of its own lies outside of the archive', inUnpacked('dist/tools/web/page-worker.js')],
    ['the fuses are set', none(FUSES.filter(([, state], index) => wire[index] !== state).map(([name]) => name))],
  ];
}

function builtTools() {
  return readdirSync(join(root, 'dist', 'tools')).filter((name) => name.endsWith('.js')).map((name) => `/dist/tools/${name}`);
}

export async function packaging(report) {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    report.skipped('packaging', `the stand-in for Electron is made for Linux on x64 only, this is ${process.platform} on ${process.arch}`);
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), 'talaria-package-'));
  try {
    standIn(join(folder, 'electron'));
    const { code, output } = await pack(folder);
    if (code !== 0) return report.failed('electron-builder packs the app', output);
    report.passed('electron-builder packs the app');
    for (const [words, holds] of statements(join(folder, 'out', 'linux-unpacked'))) {
      if (holds === true) report.passed(words);
      else report.failed(words, String(holds));
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
