/** An agent over real storage, real dispatch and a scripted model, with a few small tools of the test's own. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAgent, type Agent } from '../../../main/agent/agent.ts';
import type { AgentParts } from '../../../main/agent/parts.ts';
import { createQuestions, type Questions } from '../../../main/agent/questions.ts';
import { createCalls } from '../../../main/calls/calls.ts';
import { createEventBus } from '../../../main/events.ts';
import { createTodoStore } from '../../../main/host/todos.ts';
import { createIds } from '../../../main/ids.ts';
import { silentLog } from '../../../main/log.ts';
import { createModelClient } from '../../../main/models/client.ts';
import type { Clock, EventBus, Storage } from '../../../main/ports.ts';
import { openStorage } from '../../../main/storage/storage.ts';
import { AppError } from '../../../preload/contract/errors.ts';
import type { ChatEvent } from '../../../preload/contract/events.ts';
import type { SessionId } from '../../../preload/contract/ids.ts';
import type { Message } from '../../../preload/contract/sessions.ts';
import type { ToolContext } from '../../../tools/context.ts';
import { ToolRegistry, type ToolHandler } from '../../../tools/registry.ts';
import { startModelServer, type ModelServer, type ModelServerOptions } from '../../support/model/server.ts';
import { aSession } from '../../support/stored.ts';

/** Waits of a second and more (retries) are over at once; short ones (joining deltas) are real. */
const hastyClock: Clock = {
  now: () => Date.now(), monotonic: () => performance.now(),
  after: (ms, run) => { const timer = setTimeout(run, ms >= 400 ? 0 : ms); return () => clearTimeout(timer); },
};

export interface AgentBench {
  readonly agent: Agent;
  readonly parts: AgentParts;
  readonly events: EventBus;
  readonly folder: string;
  readonly model: ModelServer;
  readonly questions: Questions;
  readonly sessionId: SessionId;
  readonly storage: Storage;
  /** Chat events in the order they came. */
  readonly seen: ChatEvent[];
  /** Toolsets that are off. */
  readonly disabled: Set<string>;
  maxIterations: number;
  contextTokens: number;
  connected: boolean;
  /** What a background process wants to tell. */
  tell(notice: string): void;
  readonly stops: SessionId[];
  /** Adds a tool of toolset `test`; the parameters are free. */
  tool(name: string, handler: ToolHandler, toolset?: string): void;
  /** Sends and waits until nothing runs any more. */
  say(text: string): Promise<void>;
  messages(): Message[];
  /** Last text of the model. */
  answer(): string;
  close(): Promise<void>;
}

function absent(service: string): never {
  throw new Error(`this test did not expect the service '${service}'`);
}

export async function openAgentBench(options: ModelServerOptions = {}): Promise<AgentBench> {
  const folder = await mkdtemp(join(tmpdir(), 'talaria-agent-'));
  const model = await startModelServer(options);
  const ids = createIds();
  const events = createEventBus(silentLog);
  const storage = openStorage(join(folder, 'talaria.db'), { clock: hastyClock, ids, log: silentLog });
  const session = aSession({ cwd: folder });
  storage.sessions.insert(session);
  const registry = new ToolRegistry();
  const config = { get: () => undefined, env: () => undefined, onChange: () => () => undefined };
  const calls = createCalls({
    registry, clock: hastyClock, log: silentLog, config, cache: join(folder, 'cache'),
    checks: { env: () => undefined, which: () => undefined, path: '', backend: 'local', config: () => undefined, probeBackend: () => Promise.resolve(true) },
  });
  const seen: ChatEvent[] = [];
  events.subscribe('chat', (event) => seen.push(event));
  const notices: string[] = [];
  const noticeListeners = new Set<(sessionId: SessionId) => void>();
  const questions = createQuestions({ clock: hastyClock, canAsk: () => true, rootOf: (id) => id, onAsked: () => undefined, onSettled: () => undefined });

  const makeContext: AgentParts['makeContext'] = (call): ToolContext => ({
    sessionId: call.sessionId, taskId: 'default', toolCallId: call.callId, signal: call.signal, cwd: folder, emit: call.emit ?? (() => undefined),
    ...(call.enabledTools === undefined ? {} : { enabledTools: call.enabledTools }),
    services: {
      questions, config, redact: (text) => text, log: () => undefined, paths: { home: folder, cache: join(folder, 'cache'), outputs: join(folder, 'outputs') },
      files: { environment: () => Promise.reject(new AppError('environment/missing', 'none in this test')) },
      get approvals() { return call.approvals ?? absent('approvals'); }, get terminals() { return absent('terminals'); },
      get history() { return absent('history'); }, get todos() { return absent('todos'); },
    },
  });

  const bench: AgentBench = {
    agent: undefined as unknown as Agent, parts: undefined as unknown as AgentParts, // set below: they need the bench's switches
    events, folder, model, questions, sessionId: session.id, storage, seen, disabled: new Set(), maxIterations: 90, contextTokens: 100_000, connected: true, stops: [],
    tell(notice) {
      notices.push(notice);
      for (const listener of noticeListeners) listener(session.id);
    },
    tool(name, handler, toolset = 'test') {
      registry.register({ name, toolset, schema: { description: `${name} of the test`, parameters: { type: 'object', properties: {} } }, handler });
    },
    async say(text) {
      bench.agent.send(session.id, text);
      await bench.agent.idle(session.id);
    },
    messages: () => storage.messages.page(session.id, { limit: 1_000 }).messages,
    answer: () => bench.messages().findLast((message) => message.role === 'assistant')?.text ?? '',
    async close() {
      const closing = bench.agent.close();
      await model.close();
      await closing;
      calls.close();
      storage.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
  const parts: AgentParts = {
    clock: hastyClock, ids, log: silentLog, events, storage, calls, makeContext, questions, home: folder, skills: () => Promise.resolve([]), emoji: () => '🔧',
    toolsets: { enabledFor: () => ({ enabled: ['test', 'other'], disabled: [...bench.disabled] }) },
    terminals: {
      list: () => [], drainNotices: () => notices.splice(0), stopForeground: (id) => { bench.stops.push(id); return Promise.resolve(); },
      onNotice: (listener) => { noticeListeners.add(listener); return () => { noticeListeners.delete(listener); }; },
    },
    todos: createTodoStore(storage.values, silentLog),
    settings: () => ({ maxIterations: bench.maxIterations, approvals: { mode: 'manual', timeoutSeconds: 300, deny: [] }, terminal: { backend: 'local', cwd: '', timeoutSeconds: 180, sandbox: 'off', sandboxNetwork: true }, terminalView: { fontSize: 13, screenReader: false, followNewest: true }, model: { vision: 'auto' }, redactSecrets: true, theme: 'system', problem: null }),
    connect: () => (bench.connected
      ? Promise.resolve(createModelClient({ baseUrl: model.baseUrl, model: 'scripted-model', key: undefined, contextTokens: bench.contextTokens }, { clock: hastyClock, ids }))
      : Promise.reject(new AppError('model/none', 'No model is connected.', { hint: 'Connect one.' }))),
    place: () => ({ cwd: folder, backend: 'local' }),
  };
  Object.assign(bench, { parts, agent: createAgent(parts) });
  bench.tool('read_file', async (args) => readFile(join(folder, String(args['path'])), 'utf8'));
  return bench;
}
