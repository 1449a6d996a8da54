/** A terminal manager over a real database in a folder of its own, for tests. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../../main/clock.ts';
import { createEventBus } from '../../../main/events.ts';
import { createIds } from '../../../main/ids.ts';
import type { EventBus, Log } from '../../../main/ports.ts';
import { openStorage } from '../../../main/storage/storage.ts';
import { createTerminals, type Manager } from '../../../main/terminals/terminals.ts';
import { SessionId, type TerminalId } from '../../../preload/contract/ids.ts';
import type { Terminal } from '../../../preload/contract/terminal.ts';
import type { JsonObject, JsonValue, RunRequest, RunResult, StartRequest } from '../../../tools/context.ts';

export interface Desk {
  readonly folder: string;
  readonly terminals: Manager;
  readonly events: EventBus;
  readonly sessionId: SessionId;
  readonly config: Map<string, JsonValue>;
  readonly variables: Map<string, string>;
  /** Lines of the log at `warn` and above. */
  readonly complaints: string[];
  run(command: string, more?: Partial<RunRequest>): Promise<RunResult>;
  start(command: string, more?: Partial<StartRequest>): Promise<{ readonly id: TerminalId; readonly pid: number }>;
  process(action: 'poll' | 'kill' | 'close' | 'wait' | 'log' | 'write' | 'submit', id: string, more?: { data?: string; limit?: number; offset?: number; timeoutMs?: number }): Promise<JsonObject>;
  list(): Promise<readonly JsonObject[]>;
  /** Resolves with the record once it satisfies `wanted`. */
  until(id: TerminalId, wanted: (terminal: Terminal) => boolean): Promise<Terminal>;
  /** Resolves when a notice for the chat waits. */
  noticed(): Promise<void>;
  /** Closes the manager and its database, keeps the folder. */
  close(): Promise<void>;
  /** The same folder under a new manager, as after a restart. */
  reopen(): Desk;
  discard(): void;
}

export const SECRET = 'sk-canarycanarycanarycanary';

export function openDesk(existing?: string): Desk {
  const folder = existing ?? realpathSync(mkdtempSync(join(tmpdir(), 'talaria-desk-')));
  const complaints: string[] = [];
  const complain = (message: string, details?: unknown) => { complaints.push(`${message} ${JSON.stringify(details)}`); };
  const log: Log = { debug: () => undefined, info: () => undefined, warn: complain, error: complain };
  const ids = createIds();
  const events = createEventBus(log);
  const storage = openStorage(join(folder, 'talaria.db'), { clock: systemClock, ids, log });
  const config = new Map<string, JsonValue>([['terminal.cwd', folder]]);
  const variables = new Map<string, string>();
  const terminals = createTerminals({
    storage, events, ids, log, clock: systemClock, config: { get: (path) => config.get(path), env: (name) => variables.get(name) },
    paths: { home: folder, cache: join(folder, 'cache'), outputs: join(folder, 'outputs') }, redact: (text) => text.replaceAll(SECRET, '[hidden]'),
    hostEnvironment: { PATH: process.env['PATH'], HOME: folder, SHELL: '/bin/bash', LANG: 'C.UTF-8' },
  });
  const sessionId = SessionId.parse('desk-session');
  const never = new AbortController().signal;
  const desk: Desk = {
    folder, terminals, events, sessionId, config, variables, complaints,
    run: (command, more = {}) => terminals.run({ taskId: 'default', sessionId, toolCallId: ids.call(), timeoutMs: 20_000, signal: never, command, ...more }),
    start: async (command, more = {}) => {
      const started = await terminals.start({ taskId: 'default', sessionId, toolCallId: ids.call(), command, ...more });
      if (started.pid === null) throw new Error('a local process has a pid');
      return { id: started.processId as TerminalId, pid: started.pid }; // minted as one by the manager
    },
    process: (action, processId, { data = '', limit = 200, offset, timeoutMs } = {}) => {
      const base = { processId, sessionId };
      if (action === 'write' || action === 'submit') return terminals.process({ action, ...base, data }, never);
      if (action === 'log') return terminals.process({ action, ...base, limit, ...(offset === undefined ? {} : { offset }) }, never);
      if (action === 'wait') return terminals.process({ action, ...base, ...(timeoutMs === undefined ? {} : { timeoutMs }) }, never);
      return terminals.process({ action, ...base }, never);
    },
    list: async () => (await terminals.process({ action: 'list', taskId: 'default', sessionId }, never))['processes'] as readonly JsonObject[], // the shape of 5.6
    until: (id, wanted) => new Promise((resolve) => {
      const look = (terminal: Terminal | undefined) => {
        if (terminal === undefined || !wanted(terminal)) return false;
        off();
        resolve(terminal);
        return true;
      };
      const off = events.subscribe('terminals', (event) => { if (event.type === 'changed' && event.terminal.id === id) look(event.terminal); });
      look(terminals.get(id));
    }),
    noticed: () => new Promise((resolve) => { const off = terminals.onNotice(() => { off(); resolve(); }); }),
    close: async () => {
      await terminals.close();
      storage.close();
    },
    reopen: () => openDesk(folder),
    discard: () => rmSync(folder, { recursive: true, force: true }),
  };
  return desk;
}

/** A screen of a test: collects what an attachment sends, acknowledges at once unless told not to. */
export async function watch(desk: Desk, id: TerminalId, options: { readonly acknowledge?: boolean } = {}) {
  let text = '';
  let unacknowledged = 0;
  const waiting: { pattern: RegExp; resolve: () => void }[] = [];
  const attached = await desk.terminals.attach(id, (bytes) => {
    text += Buffer.from(bytes).toString('latin1');
    unacknowledged += bytes.length;
    if (options.acknowledge !== false) queueMicrotask(() => attached.ack(bytes.length));
    for (const { pattern, resolve } of waiting) if (pattern.test(text)) resolve();
  });
  return {
    ...attached,
    /** Bytes after the snapshot, one character each. */
    live: () => text,
    unacknowledged: () => unacknowledged,
    saw: (pattern: RegExp) => (pattern.test(text) ? Promise.resolve() : new Promise<void>((resolve) => { waiting.push({ pattern, resolve }); })),
  };
}
