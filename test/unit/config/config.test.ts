import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../../main/clock.ts';
import { openConfig, type LiveConfig } from '../../../main/config/config.ts';
import { homePaths, makeOwnFolders, type Paths } from '../../../main/config/paths.ts';
import { secretsFile } from '../../../main/config/secrets-file.ts';
import { saveSettings } from '../../../main/config/settings.ts';
import { silentLog } from '../../../main/log.ts';

let paths: Paths;
let opened: LiveConfig[] = [];
const environment: Record<string, string> = {};

beforeEach(() => { paths = homePaths({ HERMES_HOME: mkdtempSync(join(tmpdir(), 'talaria-config-')) }); });
afterEach(() => {
  for (const config of opened) config.close();
  opened = [];
  rmSync(paths.home, { recursive: true, force: true });
});

const open = (yaml?: string): LiveConfig => {
  if (yaml !== undefined) writeFileSync(paths.config, yaml);
  const config = openConfig({ paths, clock: systemClock, log: silentLog, environment });
  opened.push(config);
  return config;
};
const onDisk = (): string => readFileSync(paths.config, 'utf8');
const changed = (config: LiveConfig): Promise<void> => new Promise((done) => { const off = config.onChange(() => { off(); done(); }); });

test('a home without a file starts on defaults and gets its file with the first change, readable by its owner only', async () => {
  const config = open();
  expect(config.get('approvals.mode')).toBeUndefined();
  await config.set('approvals.mode', 'smart');
  expect(onDisk()).toBe('approvals:\n  mode: smart\n');
  expect(statSync(paths.config).mode & 0o777).toBe(0o600);
  expect(config.settings().approvals.mode).toBe('smart');
});

test('comments, order and unknown keys survive a change', async () => {
  const config = open('# mine\nzeta: 1   # z\nfuture: {x: [1]}\napprovals:\n  mode: manual\n');
  await config.set('approvals.timeout', 60);
  expect(onDisk()).toBe('# mine\nzeta: 1   # z\nfuture: {x: [1]}\napprovals:\n  mode: manual\n  timeout: 60\n');
});

test('mode and symlink of the file are kept', async () => {
  const real = join(paths.home, 'real.yaml');
  writeFileSync(real, 'a: 1\n');
  chmodSync(real, 0o640);
  symlinkSync(real, paths.config);
  await open().set('a', 2);
  expect(readFileSync(real, 'utf8')).toBe('a: 2\n');
  expect(statSync(real).mode & 0o777).toBe(0o640);
});

test('the last three texts are kept', async () => {
  const config = open('n: 0\n');
  for (const n of [1, 2, 3, 4, 5]) await config.set('n', n);
  const folder = join(paths.own, 'backups');
  expect(readdirSync(folder).sort().map((name) => readFileSync(join(folder, name), 'utf8'))).toEqual(['n: 4\n', 'n: 3\n', 'n: 2\n']);
});

test('setting the value that is there writes nothing', async () => {
  const config = open('n: 1\n');
  await config.set('n', 1);
  expect(existsSync(join(paths.own, 'backups'))).toBe(false);
});

describe('a malformed file', () => {
  const BROKEN = 'approvals:\n  mode: off\n  deny: ["rm *"]\nbad: [1\ncommand_allowlist: ["*"]\n';

  test('is not overwritten: the place is told, defaults are used, what forbids stays', async () => {
    const config = open(BROKEN);
    expect(config.problem).toMatchObject({ path: paths.config, line: expect.any(Number) });
    expect(config.settings()).toMatchObject({ approvals: { mode: 'manual', deny: ['rm *'] }, problem: { path: paths.config } });
    expect(config.get('command_allowlist')).toBeUndefined();
    await expect(config.set('n', 1)).rejects.toMatchObject({ code: 'config/malformed', message: expect.stringMatching(/line \d+, column \d+/) });
    expect(onDisk()).toBe(BROKEN);
    expect(existsSync(`${paths.config}.lock`)).toBe(false);
  });

  test('works again once it is mended, without a restart', async () => {
    const config = open(BROKEN);
    const told = changed(config);
    writeFileSync(paths.config, 'n: 1\n');
    await told;
    expect(config.problem).toBeUndefined();
    await config.set('n', 2);
    expect(onDisk()).toBe('n: 2\n');
  });

  test('that was valid a moment ago keeps its deny rules', () => {
    const config = open('approvals: {deny: ["git push *"], mode: off}\n');
    expect(config.settings().approvals.mode).toBe('off');
    writeFileSync(paths.config, '}{ nonsense');
    config.refresh();
    expect(config.settings().approvals).toMatchObject({ mode: 'manual', deny: ['git push *'] });
  });
});

describe('edits from outside', () => {
  test('are told to listeners and read, also when the file is replaced', async () => {
    const config = open('n: 1\n');
    for (const n of [2, 3]) {
      const told = changed(config);
      writeFileSync(join(paths.home, 'new'), `n: ${n}\n`);
      renameSync(join(paths.home, 'new'), paths.config);
      await told;
      expect(config.get('n')).toBe(n);
    }
    const gone = changed(config);
    rmSync(paths.config);
    await gone;
    expect(config.get('n')).toBeUndefined();
  });

  test('made since the last read are part of what is written', async () => {
    const config = open('n: 1\n');
    writeFileSync(paths.config, 'n: 1\nhand: made\n');
    await config.set('n', 2);
    expect(onDisk()).toBe('n: 2\nhand: made\n');
  });

  test('thirty changes of two stores at once lose nothing', async () => {
    const [a, b] = [open('list: []\n'), open()];
    const add = (config: LiveConfig, item: string): Promise<unknown> =>
      config.update('list', (list) => [...(Array.isArray(list) ? list : []), item]);
    await Promise.all(Array.from({ length: 15 }, (_, index) => [add(a, `a${index}`), add(b, `b${index}`)]).flat());
    const list = a.get('list');
    expect(Array.isArray(list) ? list.length : 0).toBe(30);
  });
});

describe('environment variables', () => {
  test('come from the process first, then live from .env', () => {
    environment['BOTH'] = 'process';
    writeFileSync(paths.dotEnv, 'BOTH=file\nONLY="in file"\n');
    const config = open();
    expect([config.env('BOTH'), config.env('ONLY'), config.env('NONE')]).toEqual(['process', 'in file', undefined]);
    writeFileSync(paths.dotEnv, 'ONLY=changed\n');
    config.refresh();
    expect(config.env('ONLY')).toBe('changed');
  });
});

test('settings of the screen are written where Hermes looks for them', async () => {
  const config = open('# c\n');
  const saved = await saveSettings(config, { approvalsMode: 'off', approvalsTimeoutSeconds: 30, terminalTimeoutSeconds: 9, maxIterations: 5, theme: 'dark' });
  expect(saved).toMatchObject({ approvals: { mode: 'off', timeoutSeconds: 30 }, terminal: { timeoutSeconds: 9 }, maxIterations: 5, theme: 'dark' });
  expect(onDisk()).toContain("mode: 'off'");
});

test('paths follow HERMES_HOME, and our folders are private', () => {
  expect(homePaths({ HERMES_HOME: '/x/y' })).toMatchObject({ home: '/x/y', config: '/x/y/config.yaml', database: '/x/y/desktop/talaria.db', logs: '/x/y/desktop/logs' });
  expect(homePaths({ HERMES_HOME: ' ' }).home).toMatch(/\.hermes$/);
  makeOwnFolders(paths);
  expect(statSync(paths.outputs).mode & 0o777).toBe(0o700);
});

describe('keys in a file', () => {
  test('are kept with mode 0600, removed on demand, and come with a warning', async () => {
    const store = secretsFile(paths.secrets);
    expect(store.isEmpty?.()).toBe(true);
    await Promise.all([store.set('a', '1'), store.set('b', '2')]);
    expect([await store.get('a'), await store.get('b'), await store.get('constructor')]).toEqual(['1', '2', undefined]);
    expect(statSync(paths.secrets).mode & 0o777).toBe(0o600);
    await store.set('a', undefined);
    expect(await store.get('a')).toBeUndefined();
    expect(store.warning).toContain(paths.secrets);
    expect(store.isEmpty?.()).toBe(false);
  });

  test('in a damaged file are neither guessed nor overwritten, and the error does not quote them', async () => {
    const store = secretsFile(paths.secrets);
    await store.set('a', '1');
    writeFileSync(paths.secrets, '{"a": "sk-secret');
    await expect(store.set('b', '2')).rejects.toMatchObject({ code: 'storage/failed', message: expect.not.stringContaining('sk-') });
    expect(readFileSync(paths.secrets, 'utf8')).toBe('{"a": "sk-secret');
  });
});
