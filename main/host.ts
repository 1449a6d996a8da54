/** Builds the whole runtime from its parts and answers the contract. Knows nothing of windows, sockets and terminals of the shell. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ParsedInput, RequestOutput, Session, SessionId } from '../preload/contract/index.ts';
import { AppError } from '../preload/contract/errors.ts';
import { discoverBuiltinTools } from '../tools/discovery.ts';
import { findBlockedDomain } from '../tools/shared/fetch/blocklist.ts';
import type { DelegationService } from '../tools/context.ts';
import { registry } from '../tools/registry.ts';
import { createAgent, type Agent } from './agent/agent.ts';
import type { AgentParts } from './agent/parts.ts';
import { createDelegation } from './agent/delegate.ts';
import { createQuestions } from './agent/questions.ts';
import { followOrphans, recoverChats } from './agent/recover.ts';
import { followBlast } from './approvals/blast.ts';
import { createApprovals } from './approvals/service.ts';
import { createTirith } from './approvals/tirith.ts';
import type { BridgeHost, Caller, HandledRequest } from './bridge/host.ts';
import { createBrowsers } from './browser/browser.ts';
import { createCheckpoints } from './checkpoints/checkpoints.ts';
import { createCalls } from './calls/calls.ts';
import { createToolUse } from './calls/tool-use.ts';
import { warmLater } from './host/warm.ts';
import { createToolsets } from './calls/toolsets-service.ts';
import { systemClock } from './clock.ts';
import { createCredentials, scopedCalls } from './credentials/credentials.ts';
import { createHiding } from './credentials/hiding.ts';
import { openConfig } from './config/config.ts';
import { parseFlag } from './config/settings.ts';
import { homePaths, makeOwnFolders } from './config/paths.ts';
import { runDoctor } from './doctor.ts';
import { createEventBus } from './events.ts';
import { createGateway, type Gateway } from './gateway/gateway.ts';
import { approvalRequests } from './host/approval-requests.ts';
import { createAttachedFiles } from './host/attached-files.ts';
import { checkpointRequests } from './host/checkpoint-requests.ts';
import { chatRequests } from './host/chat-requests.ts';
import { composerRequests } from './host/composer-requests.ts';
import { createBackends } from './host/backends.ts';
import { BACKEND_CHECKS, createChecks } from './host/checks.ts';
import { createContextMaker } from './host/context.ts';
import { createNestedCalls } from './host/nested-calls.ts';
import { credentialRequests } from './host/credential-requests.ts';
import { createDirectCalls } from './host/direct-calls.ts';
import { createForks } from './host/forks.ts';
import type { Handlers } from './host/handlers.ts';
import { hookOutput } from './host/hooked-terminals.ts';
import { hostRequests } from './host/host-requests.ts';
import { createJudge } from './host/judge.ts';
import { mcpRequests } from './host/mcp-requests.ts';
import { createModelAsker } from './host/model-asker.ts';
import { modelRequests } from './host/model-requests.ts';
import { followNotifications } from './host/notifications.ts';
import { createPlaces } from './host/places.ts';
import { createPluginReach } from './host/plugin-reach.ts';
import { pluginRequests } from './host/plugin-requests.ts';
import { scheduleRequests, scheduleService } from './host/schedule-requests.ts';
import { createChatBackends } from './host/chat-backends.ts';
import { createSandboxes, followSandboxSetting, sandboxRequests } from './host/sandboxes.ts';
import { screenRequests } from './host/screen-requests.ts';
import { createChatSkills } from './host/skills.ts';
import { sessionRequests } from './host/session-requests.ts';
import { createSessions, type NewSession } from './host/sessions.ts';
import { terminalRequests } from './host/terminal-requests.ts';
import { createSurfaces, type Surfaces } from './host/surfaces.ts';
import { createTodoStore } from './host/todos.ts';
import { toolsetRequests } from './host/toolset-requests.ts';
import { createIds } from './ids.ts';
import { openLog } from './log.ts';
import { chainOf, rootOf } from './lineage.ts';
import { createModelClient } from './models/client.ts';
import { createAuxiliaryModels } from './models/auxiliary.ts';
import { createConnections, type ConnectionOverrides } from './models/connection.ts';
import { discoverServers } from './models/discover.ts';
import type { Approvals, CallOutcome, Clock, EventBus, Ids, Log, MakeToolContext, Shell, Terminals } from './ports.ts';
import { createPluginCommands } from './plugins/commands.ts';
import { createExtensions, startExtensions, type HostExtensions } from './plugins/extensions.ts';
import { createDeliver } from './schedules/deliver.ts';
import { runJob } from './schedules/run-job.ts';
import { createSchedules } from './schedules/schedules.ts';
import { openStorage } from './storage/storage.ts';
import { createTerminals } from './terminals/terminals.ts';
import { VERSION } from './version.ts';

/** Deleted chats can be restored for this long. */
const KEEP_DELETED_MS = 30 * 24 * 60 * 60 * 1_000;

export interface HostOptions {
  readonly shell: Shell;
  /** Replaces `HERMES_HOME` and `~/.hermes`. */
  readonly home?: string;
  /** Directory new chats work in; the process' own by default. */
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly clock?: Clock;
  readonly ids?: Ids;
  readonly log?: Log;
  /** What the command line said about the model. */
  readonly model?: ConnectionOverrides;
  /** Folder of the tool modules; beside this module by default. */
  readonly toolsFolder?: string;
  /** Whether scheduled work runs and messengers are served in this process. The desktop does that; a command line that is gone in a moment must not. */
  readonly runSchedules?: boolean;
  /** `--yolo`: nothing is asked in this run but what never runs and what is forbidden. HERMES_YOLO_MODE says the same. */
  readonly yolo?: boolean;
}

export interface Host extends BridgeHost {
  readonly events: EventBus;
  readonly terminals: Terminals;
  /** `addSurface` says that somebody can be asked now (approvals and questions alike). */
  readonly approvals: Approvals;
  /** The chat of that name, made when there is none yet; without a name a new one. */
  openSession(name: string | undefined, options?: NewSession): Promise<Session>;
  /** Whole path of one tool call, outside any turn. Never rejects for what the tool does. */
  callTool(name: string, args: unknown, call: { readonly sessionId: SessionId; readonly signal: AbortSignal }): Promise<CallOutcome>;
  /** Resolves when every MCP server is connected or has failed once, after 10 s at most. */
  ready(): Promise<void>;
  /** Resolves when nothing runs in that chat any more. */
  idle(sessionId: SessionId): Promise<void>;
  /** Ends what runs, keeps what was decided, releases everything. Safe to call twice. */
  close(reason?: string): Promise<void>;
}

/** Ready when it resolves. Throws `storage/failed` when the home cannot be used; a malformed config.yaml is no reason not to start. */
export async function createHost(options: HostOptions): Promise<Host> {
  const { shell } = options;
  const env: Readonly<Record<string, string | undefined>> = { ...(options.env ?? process.env), ...(options.home === undefined ? {} : { HERMES_HOME: options.home }) };
  const cwd = options.cwd ?? process.cwd();
  const paths = homePaths(env);
  makeOwnFolders(paths);
  const closers: (() => unknown)[] = [];
  const clock = options.clock ?? systemClock;
  const ids = options.ids ?? createIds();
  const hiding = createHiding(env, paths.dotEnv);
  const log = options.log ?? openLog({ folder: paths.logs, clock, redact: hiding.forLog });
  const closing = new AbortController();

  try {
    const events = createEventBus(log);
    const config = openConfig({ paths, clock, log, environment: env, stored: hiding.stored });
    closers.push(() => config.close(), config.onChange(() => {
      events.publish('settings', { type: 'changed', settings: config.settings() });
      events.publish('models', { type: 'changed' });
    }));
    const { redact, secrets, release } = await hiding.start(config, shell.secrets, log);
    const storage = openStorage(paths.database, { clock, ids, log });
    closers.push(() => storage.close());
    recoverChats({ storage, clock, ids });

    const credentials = createCredentials({ clock, ids, events, canAsk: () => surfacesOf().present, onSecret: (value) => hiding.known.add(value) });
    closers.push(() => credentials.close(), release);
    const backends = createBackends({ config, log, home: paths.home, env, cwd, ask: credentials.ask, secrets });
    const checks = createChecks(config, new Map([...BACKEND_CHECKS, ...backends.checks]), () => storage.sessions.list().map(({ backend }) => backend));
    registry.useLog((level, message) => log[level](message));
    const pipelineOfCalls = createCalls({ registry, clock, log, config, checks, cache: paths.cache, parallelMcp: (tool) => extensionsOf().allowsParallel(tool) });
    closers.push(() => pipelineOfCalls.close());
    const calls = scopedCalls(pipelineOfCalls, credentials);
    const toolUse = createToolUse({ config, events });
    closers.push(() => toolUse.close());
    const toolsets = createToolsets({ registry, calls, config, checks, sessions: storage.sessions, uses: storage.calls, clock, log, events, modelCallsTools: (sessionId) => toolUse.callsTools(sessionId) });
    closers.push(() => toolsets.close());

    const chatBackends = createChatBackends({ config, storage, events, known: [...BACKEND_CHECKS.keys(), ...backends.checks.keys()] });
    const sandboxes = createSandboxes({ config, values: storage.values, home: paths.home, which: checks.which });
    const terminals = createTerminals({ storage, config, events, clock, ids, log, paths, redact, hostEnvironment: env, environments: backends.environments, backendFor: chatBackends.chosen, sandboxFor: (taskId, place) => sandboxes.sandboxFor(taskId, place), ask: credentials.ask, onSecret: (value) => hiding.known.add(value) });
    closers.push(() => terminals.close(), chatBackends.follow(), followSandboxSetting(config, () => { terminals.renew(); }));
    const places = hookOutput(createPlaces({ terminals, storage, events, home: paths.home, backends, sandboxes }), calls.hooks);
    const connections = createConnections({ config, secrets, discover: () => discoverServers(), ...(options.model === undefined ? {} : { overrides: options.model }) });
    const models = createAuxiliaryModels({ config, connections, clock, ids });
    const pipeline = createApprovals({
      clock, ids, log, events, storage, config, redact: (text) => redact(text), place: (wanted) => places.facts(wanted),
      which: checks.which, scan: createTirith({ config, which: checks.which, log }), blast: (facts, tell) => followBlast(facts, tell),
      yolo: options.yolo === true || parseFlag(env['HERMES_YOLO_MODE']) === true, askMode: parseFlag(env['HERMES_EXEC_ASK']) === true, judge: createJudge(models),
      observe: (name, payload) => calls.hooks.observe(name, payload),
    });
    closers.push(() => pipeline.close());

    const surfacesOf = (): Surfaces => surfaces;
    const surfaces = createSurfaces(pipeline, clock);
    closers.push(() => surfaces.close());
    const approvals: Approvals = { ...pipeline, addSurface: (name) => surfaces.addSurface(name) };
    const agentOf = (): Agent => agent;
    const questions = createQuestions({
      clock, canAsk: () => surfaces.present || gatewayOf().serving,
      rootOf: (sessionId) => rootOf(storage.values, sessionId),
      onAsked: (question) => { for (const chat of chainOf(storage.values, question.sessionId)) agentOf().runner(chat).questionChanged(question, true); },
      onSettled: (question) => { for (const chat of chainOf(storage.values, question.sessionId)) agentOf().runner(chat).questionChanged(question, false); },
    });
    const todos = createTodoStore(storage.values, log);
    const delegation: DelegationService = { delegate: (request) => delegationOf().delegate(request) };
    const checkpoints = createCheckpoints({
      directory: join(paths.own, 'checkpoints'), config, clock, ids, log, redact: (text) => redact(text), git: () => checks.which('git'),
      environment: (taskId) => terminals.environment(taskId), cwd: (taskId) => terminals.cwd(taskId), tell: (sessionId, text) => { terminals.tell(sessionId, text); },
    });
    closers.push(() => checkpoints.close());
    const browser = createBrowsers({
      clock, config, log, cache: paths.cache, path: () => checks.path,
      isBlocked: async (hostname) => await findBlockedDomain(hostname, { config, paths, log: (level, message) => log[level](message) }) !== undefined,
    });
    closers.push(() => browser.close());
    const nested = createNestedCalls(calls, (call) => makeContext(call));
    const makeContext: MakeToolContext = createContextMaker({ approvals, browser, checkpoints, config, delegation, files: terminals, log, models, nested, messages: { send: (...sent) => gatewayOf().messages.send(...sent), targets: () => gatewayOf().messages.targets() }, schedules: scheduleService(() => schedules, storage.sessions), paths, questions, redact, storage, places, todos });
    const commands = createPluginCommands();
    const attached = createAttachedFiles({ outputs: paths.outputs, clock, config, ids, log, storage, terminals });
    const parts: AgentParts = {
      clock, ids, log, events, storage, makeContext, toolsets, terminals, questions, todos, home: paths.home, commands, toolUse, hooks: calls.hooks, ...createChatSkills({ home: paths.home, config, storage, log }),
      // A first request that came before the MCP servers would lack their tools.
      calls: { ...calls, getToolDefinitions: async (request) => { await extensionsOf().ready(); return calls.getToolDefinitions(request); } },
      settings: () => config.settings(), ...attached.forAgent,
      emoji: (tool) => registry.getEmoji(tool),
      connect: async () => createModelClient((await connections.resolve()).endpoint, { clock, ids }),
      place: (sessionId) => {
        places.ensure(sessionId);
        return { cwd: places.cwd(sessionId), backend: places.backend(sessionId) };
      },
    };
    const agent = createAgent(parts);
    closers.push(() => agent.close(), followOrphans(agent, pipeline, parts), followNotifications(events, shell, storage, (text) => redact(text)));

    const sessions = createSessions({ clock, config, events, ids, storage, cwd });
    const extensionsOf = (): HostExtensions => extensions;
    const reach = createPluginReach({ agent, sessions, calls, makeContext, ids, signal: closing.signal });
    const extensions = createExtensions({ calls, clock, config, cwd, env, events, log, paths, redact: (text) => redact(text), values: storage.values, sessions: storage.sessions, shell, checks, commands, reach, questions, askModel: createModelAsker(connections, { clock, ids }), random: (bytes) => ids.hex(bytes) });
    closers.push(() => extensions.close());
    const delegationService = createDelegation({
      agent, parts, config, toolsets, hooks: calls.hooks, closing: closing.signal,
      resolve: (names) => calls.catalog.resolveMultipleToolsets(names), createSession: (wanted) => sessions.create(wanted),
    });
    const delegationOf = (): DelegationService => delegationService;
    const gatewayOf = (): Gateway => gateway;
    const gateway = createGateway({ agent, hooks: calls.hooks, stored: hiding.stored, shell: shell.name, approvals: pipeline.gateway, clock, config, events, log, paths, redact: (text) => redact(text), storage, toolsets, resolve: (names) => calls.catalog.resolveMultipleToolsets(names), createSession: (wanted) => sessions.create(wanted) });
    closers.push(() => gateway.close());
    const schedules = createSchedules({
      clock, config, events, ids, log, storage,
      deliver: createDeliver({ agent, storage, shell, sendOut: (...out) => { gateway.messages.sendOut(...out); } }),
      run: (job, signal, onChat) => runJob(job, {
        agent, config, storage, toolsets, log, home: paths.home, cwd, env, resolve: (names) => calls.catalog.resolveMultipleToolsets(names), createSession: (wanted) => sessions.create(wanted),
      }, signal, onChat),
    });
    closers.push(() => schedules.close());
    const forks = createForks({ agent, backends: chatBackends, clock, events, ids, sandboxes, sessions, storage, todos });
    const callTool = createDirectCalls({ calls, extensions, registry, makeContext, ids, closing: closing.signal });
    const handlers: Handlers = {
      ...hostRequests({ config, cwd, shell, secrets, backends, terminals, checks, version: VERSION, doctor: () => runDoctor({ config, connections, shell, path: checks.path, checks, backends: backends.checks }) }),
      ...sessionRequests({ agent, approvals, backends: chatBackends, forks, forgetChecks: () => { pipelineOfCalls.availability.invalidate(); }, clock, events, places, redact: (text) => redact(text), sessions, storage, todos }),
      ...chatRequests({ agent, clock, sessions, storage, files: attached.files }),
      ...composerRequests({ agent: parts, files: attached.files, config, connections, places, sessions, terminals }),
      ...approvalRequests(approvals),
      ...credentialRequests(credentials),
      ...checkpointRequests(checkpoints),
      ...sandboxRequests(sandboxes, (sessionId) => { terminals.renew(sessionId); }),
      ...terminalRequests(terminals, sessions, credentials),
      ...toolsetRequests(toolsets, sessions, extensions),
      ...screenRequests({ callTool, sessions, closing: closing.signal, cache: paths.cache, files: attached.files, home: paths.home, config, shell, browser }),
      ...scheduleRequests(schedules, () => gateway.messages.targets()),
      ...gateway.requests,
      ...mcpRequests(extensions.mcp),
      ...pluginRequests(extensions.plugins),
      ...modelRequests({ clock, config, connections, events, ids, signal: closing.signal }),
    };

    await discoverBuiltinTools(options.toolsFolder ?? fileURLToPath(new URL('../tools/', import.meta.url)), { cacheDir: paths.cache, log: (level, message) => log[level](message) });
    await startExtensions(extensions, clock);
    if (options.runSchedules ?? (shell.name === 'electron' || shell.name === 'browser')) for (const part of [schedules, gateway]) part.start();
    void terminals.recover().catch((error: unknown) => log.error('terminals of an earlier run could not be looked at', { error }));
    closers.push(clock.after(0, () => { storage.sessions.purge(clock.now() - KEEP_DELETED_MS); void attached.sweep(); }), forks.follow(), warmLater({ calls, toolsets, clock, log, ready: () => extensions.ready() }));

    let closed: Promise<void> | undefined;
    async function close(reason: string): Promise<void> {
      events.publish('host', { type: 'closing', reason });
      closing.abort();
      // Before the agent: what waits for a person then stays open instead of being cancelled.
      pipeline.close();
      for (const closer of closers.toReversed()) {
        try {
          await closer();
        } catch (error) {
          log.error('a part of the host did not close properly', { error });
        }
      }
    }

    return {
      events, terminals, approvals, log, callTool,
      async handle<Name extends HandledRequest>(name: Name, input: ParsedInput<Name>, caller: Caller): Promise<RequestOutput<Name>> {
        if (closed !== undefined) throw new AppError('host/closed', 'The app is closing.');
        return handlers[name](input, caller);
      },
      openSession: (name, wanted) => sessions.open(name, wanted),
      ready: () => extensions.ready(),
      idle: (sessionId) => agent.idle(sessionId),
      close: (reason = 'the app was closed') => closed ??= close(reason),
    };
  } catch (error) {
    for (const closer of closers.toReversed()) await closer();
    throw error;
  }
}
