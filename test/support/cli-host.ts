/** A host and a terminal of the test for the command line: nothing of the process is touched. */
import { PassThrough, type Duplex } from 'node:stream';
import { runCli } from '../../main/shells/cli/main.ts';
import type { CliHost, HostChoices } from '../../main/shells/cli/host-port.ts';
import type { Streams } from '../../main/shells/cli/streams.ts';
import type { CallOutcome, Clock } from '../../main/ports.ts';
import { ApprovalId, SessionId, type ApprovalRequest, type Session } from '../../preload/contract/index.ts';
import { testHost, type Handlers, type TestHost } from './bridge-host.ts';

/** Time that passes only when the test says so. */
export interface ManualClock extends Clock { pass(ms: number): void }

export function manualClock(): ManualClock {
  let now = 1_000_000;
  let timers: { at: number; run: () => void }[] = [];
  return {
    now: () => now,
    monotonic: () => now,
    after(ms, run) {
      const timer = { at: now + ms, run };
      timers.push(timer);
      return () => { timers = timers.filter((other) => other !== timer); };
    },
    pass(ms) {
      now += ms;
      const due = timers.filter((timer) => timer.at <= now);
      timers = timers.filter((timer) => timer.at > now);
      for (const timer of due) timer.run();
    },
  };
}

export interface TestTerminalStreams extends Streams {
  readonly stdin: Duplex & { setRawMode(raw: boolean): void };
  readonly clock: ManualClock;
  readonly out: () => string;
  readonly err: () => string;
  readonly raw: boolean[];
  /** Resolves when what is written to stderr contains the text. */
  shows(text: string): Promise<void>;
}

export function testStreams({ interactive }: { readonly interactive: boolean }): TestTerminalStreams {
  const raw: boolean[] = [];
  const stdin = Object.assign(new PassThrough(), { setRawMode: (on: boolean) => { raw.push(on); } });
  let out = '';
  let err = '';
  let changed = (): void => undefined;
  const stdout = new PassThrough().on('data', (chunk: Buffer) => { out += chunk.toString('utf8'); });
  const stderr = new PassThrough().on('data', (chunk: Buffer) => {
    err += chunk.toString('utf8');
    changed();
  });
  return {
    stdin, stdout, stderr, interactive, colour: false, clock: manualClock(), out: () => out, err: () => err, raw,
    async shows(text) {
      while (!err.includes(text)) await new Promise<void>((resolve) => { changed = resolve; });
    },
  };
}

export interface TestCliHost extends Omit<TestHost, 'approvals'>, CliHost {
  readonly opened: HostChoices[];
  readonly surfaces: Set<string>;
  readonly toolCalls: { readonly name: string; readonly args: unknown }[];
  closed: boolean;
}

export type CallTool = (host: TestCliHost, name: string, args: unknown, signal: AbortSignal) => Promise<Partial<CallOutcome> & Pick<CallOutcome, 'result'>>;

export function testCliHost(handlers: Handlers, callTool: CallTool = async () => ({ result: '{}' })): TestCliHost {
  const surfaces = new Set<string>();
  const toolCalls: TestCliHost['toolCalls'] = [];
  const host: TestCliHost = Object.assign(testHost({ 'approvals.yolo': () => ({ process: false, sessions: [] }), ...handlers }), {
    opened: [], surfaces, toolCalls, closed: false,
    approvals: {
      addSurface: (name: string) => {
        surfaces.add(name);
        return () => { surfaces.delete(name); };
      },
    },
    openSession: async (name: string | undefined) => sessionRecord(name ?? 'ses_0000000000000000'),
    async callTool(name: string, args: unknown, call: { readonly signal: AbortSignal }): Promise<CallOutcome> {
      toolCalls.push({ name, args });
      const outcome = await callTool(host, name, args, call.signal);
      return { fullText: '', status: 'ok', errorType: null, errorMessage: null, durationMs: 0, repairs: [], savedTo: null, ...outcome };
    },
    close: async () => { host.closed = true; },
  });
  return host;
}

/** Runs one command line against the host of the test. */
export function runWith(host: TestCliHost, streams: TestTerminalStreams, ...argv: string[]): Promise<number> {
  return runCli(argv, {
    streams, serve: async () => 0,
    openHost: async (choices) => {
      host.opened.push(choices);
      return host;
    },
  });
}

export function sessionRecord(id: string, change: Partial<Session> = {}): Session {
  return {
    id: SessionId.parse(id), title: 'A chat', titled: true, origin: 'cli', status: 'idle', cwd: '/srv', backend: 'local', model: null, toolsets: {}, createdAt: 0,
    updatedAt: 0, deletedAt: null, messageCount: 2, waiting: 0, usage: { promptTokens: 0, completionTokens: 0, requests: 0 }, ...change,
  };
}

export function approvalRecord(change: Partial<ApprovalRequest> = {}): ApprovalRequest {
  const command = change.command ?? 'rm -rf /srv/data';
  return {
    id: ApprovalId.parse('apr_0000000000000000'), sessionId: SessionId.parse('ses_0000000000000000'), sessionTitle: 'A chat', tool: 'terminal', command, cwd: '/srv',
    backend: 'local', host: 'box', user: 'ada',
    review: { verdict: 'ask', findings: [{ key: 'recursive delete', description: 'recursive delete', class: 'delete', effect: 'deletes /srv/data', start: 0, end: 6, tier: 'danger' }], parts: [] },
    reason: 'recursive delete', state: 'created', createdAt: 0, expiresAt: null, allowSession: true, allowAlways: true, alwaysEntries: ['recursive delete'], ...change,
  };
}
