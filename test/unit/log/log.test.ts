import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { systemClock } from '../../../main/clock.ts';
import { createEventBus } from '../../../main/events.ts';
import { createIds } from '../../../main/ids.ts';
import { openLog, silentLog } from '../../../main/log.ts';
import { createRedact } from '../../../main/redact.ts';
import { ApprovalId, CallId, MessageId, SessionId, TerminalId } from '../../../preload/contract/ids.ts';
import { aSession } from '../../support/stored.ts';

let folder: string;
beforeEach(() => { folder = join(mkdtempSync(join(tmpdir(), 'talaria-log-')), 'logs'); });
afterEach(() => rmSync(join(folder, '..'), { recursive: true, force: true }));

const redact = createRedact({ enabled: true });
const open = (more: object = {}) => openLog({ folder, clock: { now: () => 0 }, redact, ...more });
const lines = (): Record<string, unknown>[] => readFileSync(join(folder, 'talaria.log'), 'utf8').trimEnd().split('\n').map((line) => JSON.parse(line));

test('a line is JSON with time, level, process and details', () => {
  open().warn('something', { count: 2, big: 5n, nested: { list: ['a'] } });
  expect(lines()).toEqual([{ time: '1970-01-01T00:00:00.000Z', level: 'warn', pid: process.pid, message: 'something', count: 2, big: '5', nested: { list: ['a'] } }]);
  expect(statSync(join(folder, 'talaria.log')).mode & 0o777).toBe(0o600);
});

test('secrets in texts and under telling names do not reach the file', () => {
  const secret = 'sk-aB3dE5fG7hI9kL1mN3pQ5rS7';
  open().error(`failed with ${secret}`, { apiKey: 'plainvalue', access_token: 'x1', authorization: 'y2', note: `key ${secret}`, error: new Error(`bad ${secret}`, { cause: { password: 'z3' } }) });
  const text = readFileSync(join(folder, 'talaria.log'), 'utf8');
  for (const word of [secret, 'plainvalue', 'x1"', 'y2"', 'z3"']) expect(text).not.toContain(word);
  expect(lines()[0]).toMatchObject({ error: { name: 'Error', stack: expect.any(String), cause: { password: '***' } } });
});

test('details cannot pose as the line\'s own fields, go in circles or swell the file', () => {
  const circle: Record<string, unknown> = {};
  circle['self'] = circle;
  open().info('m', { message: 'forged', level: 'error', circle, long: 'x'.repeat(10_000) });
  expect(lines()[0]).toMatchObject({ message: 'm', level: 'info' });
  expect(readFileSync(join(folder, 'talaria.log'), 'utf8').length).toBeLessThan(6_000);
});

test('lines below the level are left out', () => {
  const log = open();
  log.debug('quiet');
  log.info('loud');
  open({ level: 'debug' }).debug('told');
  expect(lines().map((line) => line['message'])).toEqual(['loud', 'told']);
});

test('the files are turned over and stay bounded', () => {
  const log = open({ fileBytes: 1_000 });
  for (let index = 0; index < 200; index += 1) log.info(`line ${index}`);
  expect(readdirSync(folder).sort()).toEqual(['talaria.1.log', 'talaria.2.log', 'talaria.3.log', 'talaria.4.log', 'talaria.log']);
  for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).size).toBeLessThanOrEqual(1_000);
  expect(lines().at(-1)).toMatchObject({ message: 'line 199' });
});

test('a log that cannot be written says so once and never throws', () => {
  const onFailure = vi.fn();
  const blocked = `${folder}-file`;
  writeFileSync(blocked, '');
  const log = openLog({ folder: blocked, clock: { now: () => 0 }, redact, onFailure });
  log.info('a');
  log.info('b');
  expect(onFailure).toHaveBeenCalledTimes(1);
});

test('a listener that throws takes nothing from the others, and one that left hears nothing', () => {
  const errors: string[] = [];
  const bus = createEventBus({ ...silentLog, error: (message) => errors.push(message) });
  const heard: string[] = [];
  bus.subscribe('sessions', () => { throw new Error('no'); });
  const leave = bus.subscribe('sessions', (event) => heard.push(event.type));
  const session = aSession();
  bus.publish('sessions', { type: 'changed', session });
  leave();
  bus.publish('sessions', { type: 'removed', sessionId: session.id });
  expect(heard).toEqual(['changed']);
  expect(errors).toHaveLength(2);
});

test('ids have the shapes of the contract and do not repeat', () => {
  const ids = createIds();
  for (const [schema, id] of [[SessionId, ids.session()], [MessageId, ids.message()], [CallId, ids.call()], [ApprovalId, ids.approval()], [TerminalId, ids.terminal()], [TerminalId, ids.process()]] as const) {
    expect(schema.safeParse(id).success).toBe(true);
  }
  expect(ids.process()).toMatch(/^proc_[0-9a-f]{12}$/);
  expect(ids.hex(3)).toMatch(/^[0-9a-f]{6}$/);
  expect(new Set(Array.from({ length: 10_000 }, () => ids.call())).size).toBe(10_000);
});

test('a timer longer than the platform holds does not fire at once, and can be cancelled', () => {
  vi.useFakeTimers();
  try {
    const run = vi.fn();
    systemClock.after(3_000_000_000, run);
    const cancelled = vi.fn();
    systemClock.after(3_000_000_000, cancelled)();
    vi.advanceTimersByTime(2_999_999_999);
    expect(run).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(run).toHaveBeenCalledTimes(1);
    expect(cancelled).not.toHaveBeenCalled();
  } finally {
    vi.useRealTimers();
  }
});
