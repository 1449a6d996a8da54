/** The real host in a home of its own, with a scripted model, for integration tests. Everything in it is the app's own part. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Caller, HandledRequest } from '../../main/bridge/host.ts';
import { createHost, type Host } from '../../main/host.ts';
import type { Clock, Shell } from '../../main/ports.ts';
import type { ApprovalRequest, ChatEvent, Message, RequestInput, RequestOutput, Session, SessionId, TopicEvent, TopicName } from '../../preload/contract/index.ts';
import { requests } from '../../preload/contract/requests.ts';
import { startModelServer, type ModelServer, type ModelServerOptions } from './model/server.ts';

export const CALLER: Caller = { via: 'test', client: 'test' };

export interface TestHostOptions extends ModelServerOptions {
  /** Text of config.yaml behind the `model` block. */
  readonly yaml?: string;
  /** No model at all. */
  readonly withoutModel?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  /** Scheduled work runs here. */
  readonly runSchedules?: boolean;
  readonly clock?: Clock;
  /** Nobody can be asked. */
  readonly unattended?: boolean;
}

export interface HostBench {
  host: Host;
  readonly model: ModelServer;
  readonly home: string;
  /** Directory in which the chats work. */
  readonly folder: string;
  readonly opened: string[];
  readonly notes: { readonly title: string; readonly body: string }[];
  readonly chatEvents: ChatEvent[];
  request<Name extends HandledRequest>(name: Name, input: RequestInput<Name>): Promise<RequestOutput<Name>>;
  session(): Promise<Session>;
  /** Sends and waits until nothing runs any more. */
  say(sessionId: SessionId, text: string): Promise<void>;
  messages(sessionId: SessionId): Promise<Message[]>;
  answer(sessionId: SessionId): Promise<string>;
  /** Resolves with the first event of that topic for which `wanted` holds, from now on. */
  next<Name extends TopicName>(topic: Name, wanted: (event: TopicEvent<Name>) => boolean): Promise<TopicEvent<Name>>;
  /** Resolves with the next open approval request (at once when one is open). */
  approval(): Promise<ApprovalRequest>;
  /** Closes the host and opens another on the same home. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

export async function openHostBench(options: TestHostOptions = {}): Promise<HostBench> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'talaria-host-')));
  const home = join(root, 'home');
  const folder = join(root, 'work');
  await mkdir(home);
  await mkdir(folder);
  const model = await startModelServer(options);
  const block = options.withoutModel ? '' : `model:\n  default: scripted-model\n  provider: custom\n  base_url: ${model.baseUrl}\n`;
  await writeFile(join(home, 'config.yaml'), `${block}${options.yaml ?? ''}`);
  const opened: string[] = [];
  const notes: { title: string; body: string }[] = [];
  const chatEvents: ChatEvent[] = [];
  const secrets = new Map<string, string>();
  const shell: Shell = {
    name: 'test',
    openExternal: (url) => { opened.push(url); return Promise.resolve(); },
    notify: ({ title, body }) => { notes.push({ title, body }); },
    secrets: {
      get: (name) => Promise.resolve(secrets.get(name)), warning: undefined,
      set: (name, value) => { if (value === undefined) secrets.delete(name); else secrets.set(name, value); return Promise.resolve(); },
    },
  };
  const env = { PATH: process.env['PATH'], HOME: root, TMPDIR: root, LANG: 'C.UTF-8', SHELL: '/bin/bash', ...options.env };

  async function open(): Promise<Host> {
    const host = await createHost({ shell, home, cwd: folder, env, ...(options.runSchedules !== undefined && { runSchedules: options.runSchedules }), ...(options.clock !== undefined && { clock: options.clock }) });
    if (!options.unattended) host.approvals.addSurface('test');
    host.events.subscribe('chat', (event) => chatEvents.push(event));
    return host;
  }

  const bench: HostBench = {
    host: await open(), model, home, folder, opened, notes, chatEvents,
    request: async (name, input) => {
      const checked = requests[name].input.parse(input) as never; // the schema of this very name, as the bridge does it
      return bench.host.handle(name, checked, CALLER);
    },
    session: () => bench.host.openSession(undefined),
    async say(sessionId, text) {
      await bench.request('chat.send', { sessionId, text });
      await bench.host.idle(sessionId);
    },
    messages: async (sessionId) => (await bench.request('sessions.open', { sessionId, limit: 1_000 })).messages,
    answer: async (sessionId) => (await bench.messages(sessionId)).findLast((message) => message.role === 'assistant')?.text ?? '',
    next: (topic, wanted) => new Promise((resolve) => {
      const off = bench.host.events.subscribe(topic, (event) => { if (wanted(event)) { off(); resolve(event); } });
    }),
    async approval() {
      const [open] = await bench.request('approvals.list', {});
      if (open) return open;
      return (await bench.next('approvals', ({ request }) => ['created', 'delivered', 'seen', 'held'].includes(request.state))).request;
    },
    async restart() {
      await bench.host.close();
      bench.host = await open();
    },
    async close() {
      await bench.host.close();
      await model.close();
      await rm(root, { recursive: true, force: true });
    },
  };
  return bench;
}
