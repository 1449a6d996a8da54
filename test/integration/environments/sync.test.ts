/** The file sync against a real bash and tar: the "other side" is a directory of its own. */
import { spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { EnvironmentForTools, ExecResult } from '../../../environments/base.ts';
import { FileSync, type SyncOptions } from '../../../environments/sync.ts';

let root = '';
let home = '';
let there = '';
let commands: string[] = [];
let problems: string[] = [];
let failing: Partial<ExecResult> | undefined;

const exec: EnvironmentForTools['exec'] = async ({ command, stdin, maxBytes }) => {
  commands.push(command);
  if (failing !== undefined) return { exitCode: 1, signal: null, why: 'exit', output: Buffer.from('no space left on device'), truncated: false, ...failing };
  const child = spawn('bash', ['-c', command], { stdio: ['pipe', 'pipe', 'pipe'] });
  const parts: Buffer[] = [];
  child.stdout.on('data', (part: Buffer) => parts.push(part));
  child.stderr.on('data', (part: Buffer) => parts.push(part));
  child.stdin.end(stdin ?? '');
  const exitCode = await new Promise<number | null>((resolve) => { child.on('close', resolve); });
  const output = Buffer.concat(parts);
  return { exitCode, signal: null, why: 'exit', output: output.subarray(0, maxBytes), truncated: output.length > maxBytes };
};

function hand() {
  let now = 0;
  return { now: () => now, sleep: async (ms: number) => { now += ms; await Promise.resolve(); }, pass: (ms: number) => { now += ms; } };
}

function make(more: Partial<SyncOptions> = {}) {
  const clock = hand();
  return { clock, sync: new FileSync({ home, files: ['google_token.json', '.env', '../outside'], force: false, exec, remoteHome: () => there, onProblem: (message) => problems.push(message), clock, ...more }) };
}

async function put(directory: string, path: string, text: string): Promise<void> {
  await mkdir(dirname(join(directory, path)), { recursive: true });
  await writeFile(join(directory, path), text);
}

const thereIs = (path: string) => readFile(join(there, '.hermes', path), 'utf8').catch(() => undefined);
const hereIs = (path: string) => readFile(join(home, path), 'utf8').catch(() => undefined);

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'talaria-sync-'));
  home = join(root, 'home');
  there = join(root, "the re'");
  await mkdir(home);
  await mkdir(there);
  commands = [];
  problems = [];
  failing = undefined;
});
afterEach(() => rm(root, { recursive: true, force: true }));

test('skills, cache and listed credential files go over with their modes; secrets, links and what is outside do not', async () => {
  await put(home, 'skills/notes/SKILL.md', 'skill');
  await put(home, 'skills/notes/run.sh', '#!/bin/sh');
  await chmod(join(home, 'skills/notes/run.sh'), 0o755);
  await put(home, 'cache/images/a b.png', 'picture');
  await put(home, 'google_token.json', 'token');
  await put(home, '.env', 'OPENAI_API_KEY=secret');
  await put(home, 'config.yaml', 'model: x');
  await put(root, 'outside', 'outside');
  await symlink(join(home, '.env'), join(home, 'skills/notes/link'));
  const { sync } = make();
  await sync.push();
  expect(problems).toEqual([]);
  expect(await thereIs('skills/notes/SKILL.md')).toBe('skill');
  expect((await stat(join(there, '.hermes/skills/notes/run.sh'))).mode & 0o100).toBe(0o100);
  expect(await thereIs('cache/images/a b.png')).toBe('picture');
  expect(await thereIs('google_token.json')).toBe('token');
  for (const path of ['.env', 'config.yaml', 'outside', 'skills/notes/link']) expect(await thereIs(path)).toBeUndefined();
});

test('nothing is looked at again within 5 seconds, unless it is forced', async () => {
  await put(home, 'skills/a', '1');
  const { sync, clock } = make();
  await sync.push();
  await put(home, 'skills/b', '2');
  await sync.push();
  expect(await thereIs('skills/b')).toBeUndefined();
  clock.pass(5_000);
  await sync.push();
  expect(await thereIs('skills/b')).toBe('2');
  const forced = make({ force: true });
  await forced.sync.push();
  await put(home, 'skills/c', '3');
  await forced.sync.push();
  expect(await thereIs('skills/c')).toBe('3');
});

test('only what changed goes over, and what was deleted here is deleted there', async () => {
  await put(home, 'skills/keep', 'keep');
  await put(home, 'skills/change', 'old');
  await put(home, 'skills/-odd name', 'x');
  const { sync, clock } = make();
  await sync.push();
  await put(there, '.hermes/skills/keep', 'changed there');
  await put(home, 'skills/change', 'new!');
  await rm(join(home, 'skills/-odd name'));
  clock.pass(5_000);
  await sync.push();
  expect(await thereIs('skills/keep')).toBe('changed there');
  expect(await thereIs('skills/change')).toBe('new!');
  expect(await thereIs('skills/-odd name')).toBeUndefined();
  commands = [];
  clock.pass(5_000);
  await sync.push();
  expect(commands).toEqual([]);
});

test('a push that fails is told, stops nothing, and is done again in full', async () => {
  await put(home, 'skills/a', '1');
  const { sync, clock } = make();
  failing = {};
  await sync.push();
  expect(problems).toEqual([expect.stringContaining('no space left on device')]);
  failing = undefined;
  clock.pass(5_000);
  await sync.push();
  expect(await thereIs('skills/a')).toBe('1');
});

test('files that changed or appeared there come back; the others and protected ones do not', async () => {
  await put(home, 'cache/same', 'same');
  await put(home, 'cache/changed', 'old');
  await put(home, 'skills/a', 'mine');
  await put(home, 'google_token.json', 'old token');
  const { sync } = make();
  await sync.push();
  const before = new Date(1_000_000_000);
  await utimes(join(home, 'cache/same'), before, before);
  await put(there, '.hermes/cache/changed', 'new');
  await put(there, '.hermes/cache/made/there', 'made');
  await put(there, '.hermes/skills/a', 'theirs');
  await put(there, '.hermes/config.yaml', 'approvals: off');
  await put(there, '.hermes/google_token.json', 'refreshed');
  await symlink('/etc/hostname', join(there, '.hermes/cache/link'));
  expect([...await sync.pull()].sort()).toEqual(['cache/changed', 'cache/made/there', 'google_token.json']);
  expect(await hereIs('cache/changed')).toBe('new');
  expect(await hereIs('cache/made/there')).toBe('made');
  expect(await hereIs('google_token.json')).toBe('refreshed');
  expect(await hereIs('skills/a')).toBe('mine');
  expect(await hereIs('config.yaml')).toBeUndefined();
  expect(await hereIs('cache/link')).toBeUndefined();
  expect((await stat(join(home, 'cache/same'))).mtime).toEqual(before);
  expect(problems).toEqual([]);
});

test('a file that changed on both sides is kept here, and that is told', async () => {
  await put(home, 'cache/both', 'old');
  const { sync } = make();
  await sync.push();
  await put(home, 'cache/both', 'mine');
  await put(there, '.hermes/cache/both', 'theirs');
  expect(await sync.pull()).toEqual([]);
  expect(await hereIs('cache/both')).toBe('mine');
  expect(problems).toEqual([expect.stringContaining('changed on both sides')]);
});

test('a pull is tried three times with growing waits, then told', async () => {
  const { sync, clock } = make();
  failing = {};
  expect(await sync.pull()).toEqual([]);
  expect(commands).toHaveLength(3);
  expect(clock.now()).toBe(6_000);
  expect(problems).toEqual([expect.stringContaining('were not brought back')]);
});

test('a place that is lost is not asked again', async () => {
  const { sync } = make();
  failing = { why: 'lost', detail: 'the connection broke', exitCode: null };
  await sync.pull();
  expect(commands).toHaveLength(1);
  expect(problems).toEqual([expect.stringContaining('the connection broke')]);
});

test('after the place was made anew everything goes over again', async () => {
  await put(home, 'skills/a', '1');
  const { sync } = make();
  await sync.push();
  await rm(join(there, '.hermes'), { recursive: true });
  sync.forget();
  await sync.push();
  expect(await thereIs('skills/a')).toBe('1');
});
