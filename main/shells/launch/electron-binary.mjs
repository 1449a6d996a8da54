/** Whether an Electron window can open here: the binary, a display, and a user that Electron's sandbox accepts. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, run, runtimeNode, say } from './project.mjs';

const packageFolder = join(root, 'node_modules', 'electron');
const MEMORY = join(root, 'node_modules', '.talaria-electron.json');
/** The reachability check must not make anybody wait, in ms. */
const PROBE_MS = 4_000;
/** About 115 MB on a slow line, in ms. */
const DOWNLOAD_MS = 300_000;
/** A failed download is tried again after this long, in ms: networks change. */
const FORGET_AFTER_MS = 7 * 24 * 3_600_000;

const version = () => JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')).version;

function binaryPath() {
  const override = process.env.ELECTRON_OVERRIDE_DIST_PATH;
  const pathFile = join(packageFolder, 'path.txt');
  const name = existsSync(pathFile) ? readFileSync(pathFile, 'utf8').trim() : process.platform === 'win32' ? 'electron.exe' : 'electron';
  const path = override ? join(override, name) : join(packageFolder, 'dist', name);
  return existsSync(path) ? path : undefined;
}

function remembered() {
  try {
    const memory = JSON.parse(readFileSync(MEMORY, 'utf8'));
    return memory.version === version() && Date.now() - memory.at < FORGET_AFTER_MS ? memory.why : undefined;
  } catch {
    return undefined; // nothing is remembered, or nothing that can be read: try
  }
}

function remember(why) {
  writeFileSync(MEMORY, JSON.stringify({ version: version(), why, at: Date.now() }));
  return { why };
}

async function fetchBinary() {
  const mirror = process.env.ELECTRON_MIRROR ?? process.env.npm_config_electron_mirror ?? 'https://github.com/electron/electron/releases/download/';
  const { host } = new URL(mirror);
  try {
    await fetch(`${mirror}v${version()}/SHASUMS256.txt`, { method: 'HEAD', signal: AbortSignal.timeout(PROBE_MS) });
  } catch {
    return remember(`its binary is not here and ${host} cannot be reached`);
  }
  say(`Fetching Electron ${version()} from ${host} (about 115 MB, once) …`);
  const { code, output } = await run(runtimeNode(), [join(packageFolder, 'install.js')], { timeoutMs: DOWNLOAD_MS });
  const path = binaryPath();
  if (code === 0 && path) return { path };
  return remember(`its download failed (${output.trim().split('\n')[0]?.slice(0, 120) ?? `code ${code}`})`);
}

/** `{ path }` of a binary that can open a window here, or `{ why }` in words. `again` forgets an earlier failed download. */
export async function electronOrWhy({ again = false } = {}) {
  if (process.platform === 'linux' && !process.env.DISPLAY && !process.env.WAYLAND_DISPLAY) return { why: 'there is no display here' };
  if (process.platform === 'linux' && process.getuid?.() === 0) return { why: 'its sandbox does not work for root' };
  if (!existsSync(packageFolder)) return { why: 'the package is not installed' };
  const path = binaryPath();
  if (path) return { path };
  const why = again ? undefined : remembered();
  return why === undefined ? fetchBinary() : { why };
}
