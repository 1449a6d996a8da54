/** The launcher scripts in a project of their own: plain words for what is missing, and nothing built that is not stale. */
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const sources = join(import.meta.dirname, '..', '..', '..', 'main', 'shells', 'launch');
let project: string;

beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'talaria-launch-'));
  mkdirSync(join(project, 'main', 'shells'), { recursive: true });
  cpSync(sources, join(project, 'main', 'shells', 'launch'), { recursive: true });
  write('package.json', '{"name":"toy","version":"1.0.0","type":"module"}');
  write('package-lock.json', JSON.stringify({ name: 'toy', version: '1.0.0', lockfileVersion: 3, packages: { '': { name: 'toy', version: '1.0.0' } } }));
});
afterEach(() => { rmSync(project, { recursive: true }); });

function write(file: string, text: string): void {
  mkdirSync(dirname(join(project, file)), { recursive: true });
  writeFileSync(join(project, file), text);
}

interface Ended { readonly code: number | null; readonly stdout: string; readonly stderr: string }
function node(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { cwd: project, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => { stdout += text; });
    child.stderr.setEncoding('utf8').on('data', (text: string) => { stderr += text; });
    child.on('close', (code) => { resolve({ code, stdout, stderr }); });
  });
}
const script = (name: string, ...args: string[]): string[] => [join(project, 'main', 'shells', 'launch', `${name}.mjs`), ...args];
/** Runs a line with everything that a launcher module exports in scope as `it`, and gives what it wrote. */
async function evaluate(module: string, line: string, env: Readonly<Record<string, string>> = {}): Promise<unknown> {
  const program = `const it = await import(${JSON.stringify(pathToFileURL(join(project, 'main', 'shells', 'launch', `${module}.mjs`)).href)}); console.log(JSON.stringify(${line}));`;
  const { stdout, stderr } = await node(['--input-type=module', '-e', program], env);
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as unknown;
}

/** Stands where the project's own Node would be. */
function pretendInstalled(): void {
  write('node_modules/node/bin/node', '');
  write('node_modules/.package-lock.json', '{"packages":{}}');
}

describe('talaria', () => {
  test('before a build says what to run', async () => {
    expect(await node(script('talaria', 'tools'))).toEqual({ code: 1, stdout: '', stderr: 'talaria: it is not built yet.\n         Run `npm start` or `npm run build` first.\n' });
  });
});

describe('installing', () => {
  test('is needed when nothing is there, when the lock says something else, and not otherwise', async () => {
    expect(await evaluate('install', 'it.isInstalled()')).toBe(false);
    pretendInstalled();
    expect(await evaluate('install', 'it.isInstalled()')).toBe(true);
    write('package-lock.json', JSON.stringify({ lockfileVersion: 3, packages: { '': {}, 'node_modules/left': { version: '1.0.0' } } }));
    expect(await evaluate('install', 'it.isInstalled()')).toBe(false);
    write('node_modules/.package-lock.json', '{"packages":{"node_modules/left":{"version":"0.9.0"}}}');
    expect(await evaluate('install', 'it.isInstalled()')).toBe(false);
    write('node_modules/.package-lock.json', '{"packages":{"node_modules/left":{"version":"1.0.0"}}}');
    expect(await evaluate('install', 'it.isInstalled()')).toBe(true);
  });

  test('without a network says so and what to do', async () => {
    write('package.json', '{"name":"toy","version":"1.0.0","dependencies":{"left":"1.0.0"}}');
    write('package-lock.json', JSON.stringify({
      name: 'toy', version: '1.0.0', lockfileVersion: 3,
      packages: { '': { name: 'toy', version: '1.0.0', dependencies: { left: '1.0.0' } }, 'node_modules/left': { version: '1.0.0', resolved: 'http://127.0.0.1:9/left-1.0.0.tgz', integrity: 'sha512-AAAA' } },
    }));
    const { code, stderr } = await node(script('start', '--browser'), { npm_config_registry: 'http://127.0.0.1:9/', npm_config_fetch_retries: '0', npm_config_cache: join(project, 'cache'), npm_execpath: '' });
    expect(code).toBe(1);
    expect(stderr).toContain('talaria: the npm registry cannot be reached.\n         Check the network');
  });

  test('that brought no Node of its own says so and how to bring it', async () => {
    const { code, stderr } = await node(script('start', '--browser'), { npm_config_cache: join(project, 'cache'), npm_execpath: '' });
    expect(code).toBe(1);
    expect(stderr).toContain('but the Node that Talaria runs on');
    expect(stderr).toContain('npm rebuild node');
  });
});

describe('building', () => {
  test('is due for exactly the targets whose sources changed since', async () => {
    const stale = (): Promise<unknown> => evaluate('build', 'it.staleTargets()');
    write('tools/a.ts', 'export {};');
    write('tools/web/page-worker.ts', 'export {};');
    write('main/bridge/serve.ts', 'export {};');
    write('renderer/index.html', '');
    write('preload/client.ts', '');
    expect(await stale()).toEqual(['node', 'renderer', 'preload']);
    /** Stands for Vite: the outputs that a build must leave. */
    pretendInstalled();
    cpSync(process.execPath, join(project, 'node_modules', 'node', 'bin', 'node'));
    write('node_modules/vite/bin/vite.js', `
      import { mkdirSync, writeFileSync } from 'node:fs';
      import { dirname } from 'node:path';
      const outputs = { 'vite.node.config.ts': ['dist/main/bridge/serve.js', 'dist/tools/gone.js'], 'vite.worker.config.ts': ['dist/tools/web/page-worker.js'], 'vite.config.ts': ['dist/renderer/index.html'], 'vite.preload.config.ts': ['dist/preload/browser.js'] };
      for (const file of outputs[process.argv.at(-1)]) { mkdirSync(dirname(file), { recursive: true }); writeFileSync(file, ''); }`);
    expect((await node(script('build'))).code).toBe(0);
    expect(await stale()).toEqual([]);
    expect(existsSync(join(project, 'dist', 'tools', 'gone.js'))).toBe(false);
    write('tools/a.ts', 'export const a = 1;');
    expect(await stale()).toEqual(['node']);
    rmSync(join(project, 'dist', 'renderer'), { recursive: true });
    expect(await stale()).toEqual(['node', 'renderer']);
  });

  test('without dependencies says what to run', async () => {
    const { code, stderr } = await node(script('build'));
    expect(code).toBe(1);
    expect(stderr).toContain('vite');
  });

  test('of an unknown target is exit code 2', async () => {
    expect(await node(script('build', 'everything'))).toMatchObject({ code: 2, stderr: expect.stringContaining('Targets: node, renderer, preload') });
  });
});

describe('Electron', () => {
  test('is not tried where it cannot open a window, and the reason is one clause', async () => {
    const answer = await evaluate('electron-binary', 'await it.electronOrWhy()', { DISPLAY: '', WAYLAND_DISPLAY: '' });
    expect(answer).toEqual(process.platform === 'linux' ? { why: 'there is no display here' } : expect.objectContaining({}));
  });
});
