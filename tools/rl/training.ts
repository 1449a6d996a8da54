/** Runs: three background processes of the terminals layer, watched through Atropos' trajectory server. */
import { randomBytes } from 'node:crypto';
import { posix } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject, ToolContext } from '../context.ts';
import { shellQuote } from '../shared/paths.ts';
import { answer, type Place, python, RlError } from './answer.ts';
import { configFile, ROLLOUT_SERVER } from './config.ts';
import { changeState, chosenConfig, findRun, readState, type Run, updateRun } from './state.ts';

type Args = Record<string, unknown>;
type Part = 'api' | 'trainer' | 'environment';

/** Hermes: a run changes slowly, and looking costs the model tokens. `rl.status_interval_seconds` of config.yaml wins. */
const STATUS_INTERVAL_S = 1_800;
const API_UP_MS = 60_000;
const LOG_LINES = 60;

/** One GET to the trajectory server, where the run is. Prints `{"status": …, "body": …}` or `{"error": …}`. */
const GET = `
import json, sys, urllib.request, urllib.error
try:
    with urllib.request.urlopen(sys.argv[1], timeout=10) as answer:
        text = answer.read(1000000).decode("utf-8", "replace")
        try:
            body = json.loads(text)
        except ValueError:
            body = text[:2000]
        print(json.dumps({"status": answer.status, "body": body}))
except urllib.error.HTTPError as error:
    print(json.dumps({"status": error.code, "body": None}))
except Exception as error:
    print(json.dumps({"error": str(error)}))
`;

async function get(place: Place, path: string, context: ToolContext): Promise<{ readonly status?: number; readonly body?: unknown; readonly error?: string }> {
  const named = context.services.config.get('rl.api_url');
  const url = typeof named === 'string' ? named : ROLLOUT_SERVER;
  return await python(place, GET, [`${url}${path}`], context.signal) as { status?: number; body?: unknown; error?: string }; // cast: printed by the program above
}

export function startTraining(_args: Args, context: ToolContext): Promise<string> {
  return answer(context, async (place) => {
    const config = await chosenConfig(context);
    const active = (await readState(context)).runs.find(({ state }) => state === 'running' || state === 'starting');
    if (active !== undefined && await lives(active, context)) throw new RlError(`Run ${active.run_id} is going on; the servers are its own. Stop it first with rl_stop_training.`);
    const runId = randomBytes(4).toString('hex');
    const path = posix.join(place.root, 'configs', `run_${runId}.yaml`);
    const start = `cd ${shellQuote(place.root)} && p=./.venv/bin/python; [ -x "$p" ] || p=python3;`;
    const commands: readonly (readonly [Part, string])[] = [
      ['api', `${start} PATH="$PWD/.venv/bin:$PATH" run-api`], ['trainer', `${start} "$p" launch_training.py --config ${shellQuote(path)}`],
      ['environment', `${start} "$p" ${shellQuote(config.environment.file_path)} serve --config ${shellQuote(path)}`],
    ];
    await askPerson(config.environment.name, commands.map(([, command]) => command).join('\n'), context);
    await place.environment.writeFile(path, Buffer.from(configFile(config, runId)));
    const run: Run = { run_id: runId, environment: config.environment.name, state: 'starting', started_at: new Date().toISOString(), config_path: path, processes: {} };
    await changeState(context, (state) => ({ ...state, runs: [...state.runs, run] }));
    try {
      for (const [part, command] of commands) {
        context.emit({ kind: 'output', tail: `Starting ${part}…` });
        const { processId } = await context.services.terminals.start({ taskId: context.taskId, sessionId: context.sessionId, toolCallId: context.toolCallId, command, notifyOnComplete: true });
        await changeState(context, (state) => ({ ...state, runs: state.runs.map((each) => (each.run_id === runId ? { ...each, processes: { ...each.processes, [part]: processId } } : each)) }));
        if (part === 'api') await apiUp(place, processId, context);
      }
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error);
      await stopProcesses(await findRun(context, runId), context);
      await updateRun(context, runId, { state: 'failed', ended_at: new Date().toISOString(), error: words });
      throw error instanceof RlError ? error : new RlError(`The run could not be started: ${words}`);
    }
    await updateRun(context, runId, { state: 'running' });
    return { run_id: runId, status: 'running', environment: run.environment, config_path: path, message: 'The run goes on in three background processes. Look at it with rl_check_status in half an hour at the earliest.' };
  });
}

async function askPerson(name: string, command: string, { services, cwd, sessionId, taskId, toolCallId, signal, emit }: ToolContext): Promise<void> {
  const { approved, message } = await services.approvals.review({
    tool: 'rl_start_training', command, cwd, sessionId, taskId, toolCallId, signal, requirePerson: { description: `trains a model in ${name}: hours of paid computing at Tinker` },
    onWaiting: (approvalId, waiting) => { emit({ kind: 'approval', approvalId, state: waiting ? 'waiting' : 'settled' }); },
  });
  if (!approved) throw new RlError(message ?? 'The user did not allow this run.');
}

async function apiUp(place: Place, processId: string, context: ToolContext): Promise<void> {
  const until = performance.now() + API_UP_MS;
  for (;;) {
    const { status } = await get(place, '/status', context);
    if (status !== undefined && status < 500) return;
    const poll = await context.services.terminals.process({ action: 'poll', processId, sessionId: context.sessionId }, context.signal);
    if (poll['status'] === 'exited') throw new RlError(`The trajectory server (run-api) ended at once: ${tailOf(poll)}`);
    if (performance.now() > until) throw new RlError(`The trajectory server did not answer within ${String(API_UP_MS / 1_000)} s. Its output: ${tailOf(poll)}`);
    await sleep(500, undefined, { signal: context.signal });
  }
}

function tailOf(poll: JsonObject): string {
  const text = poll['output_preview'] ?? poll['output'] ?? poll['error'];
  return typeof text === 'string' ? text.slice(-500) : 'nothing';
}

async function states(run: Run, context: ToolContext): Promise<Record<string, string>> {
  const found = await Promise.all(Object.entries(run.processes).map(async ([part, processId]) => {
    const poll = await context.services.terminals.process({ action: 'poll', processId, sessionId: context.sessionId }, context.signal);
    const code = poll['exit_code'];
    return [part, poll['status'] === 'running' ? 'running' : `ended${typeof code === 'number' ? ` with exit code ${String(code)}` : ''}`] as const;
  }));
  return Object.fromEntries(found);
}

async function lives(run: Run, context: ToolContext): Promise<boolean> {
  return Object.values(await states(run, context)).includes('running');
}

export function checkStatus({ run_id: id }: Args, context: ToolContext): Promise<string> {
  return answer(context, async (place) => {
    const run = await findRun(context, id);
    const interval = Number(context.services.config.get('rl.status_interval_seconds') ?? STATUS_INTERVAL_S);
    const wait = (run.checkedAt ?? 0) + interval * 1_000 - Date.now();
    if (wait > 0 && run.state === 'running') {
      return { run_id: run.run_id, rate_limited: true, message: `Looked at too recently. Look again in ${String(Math.ceil(wait / 60_000))} min; the processes report on their own when they end.`, next_check_in_seconds: Math.ceil(wait / 1_000), last_status: run.last_status ?? null };
    }
    const processes = await states(run, context);
    const isOver = run.state === 'running' && !Object.values(processes).some((state) => state === 'running');
    const [status, wandb] = run.state === 'running' && !isOver ? await Promise.all([get(place, '/status', context), get(place, '/wandb_info', context)]) : [{}, {}];
    const state = isOver ? (Object.values(processes).every((each) => each === 'ended with exit code 0') ? 'finished' as const : 'failed' as const) : run.state;
    const shown = { run_id: run.run_id, status: state, environment: run.environment, started_at: run.started_at, processes, ...(status.body !== undefined && { trajectory_server: status.body }), ...(wandb.body !== undefined && { wandb: wandb.body }), ...(status.error !== undefined && { trajectory_server_error: status.error }) };
    await updateRun(context, run.run_id, { state, checkedAt: Date.now(), last_status: shown, ...(isOver && { ended_at: new Date().toISOString() }) });
    return shown;
  });
}

async function stopProcesses(run: Run, context: ToolContext): Promise<void> {
  for (const processId of Object.values(run.processes).reverse()) await context.services.terminals.process({ action: 'kill', processId, sessionId: context.sessionId }, context.signal);
}

export function stopTraining({ run_id: id }: Args, context: ToolContext): Promise<string> {
  return answer(context, async () => {
    const run = await findRun(context, id);
    if (run.state !== 'running' && run.state !== 'starting') return { run_id: run.run_id, status: run.state, message: 'This run does not go on any more.' };
    await stopProcesses(run, context);
    await updateRun(context, run.run_id, { state: 'stopped', ended_at: new Date().toISOString() });
    return { run_id: run.run_id, status: 'stopped', message: 'The run and its processes are stopped. Checkpoints stay.', processes: await states(run, context) };
  });
}

export function getResults({ run_id: id }: Args, context: ToolContext): Promise<string> {
  return answer(context, async (place) => {
    const run = await findRun(context, id);
    const latest = run.state === 'running' ? await get(place, '/latest_example', context) : undefined;
    const logs = await Promise.all(Object.entries(run.processes).map(async ([part, processId]) => {
      const log = await context.services.terminals.process({ action: 'log', processId, sessionId: context.sessionId, limit: LOG_LINES }, context.signal);
      return [part, log['output'] ?? log['error'] ?? ''] as const;
    }));
    return {
      run_id: run.run_id, status: run.state, environment: run.environment, started_at: run.started_at, ...(run.ended_at !== undefined && { ended_at: run.ended_at }), ...(run.error !== undefined && { error: run.error }),
      config_path: run.config_path, last_status: run.last_status ?? null, ...(latest?.body !== undefined && { latest_example: latest.body }), logs: Object.fromEntries(logs), checkpoints: posix.join(place.root, 'temp'),
    };
  });
}

export function listRuns(_args: Args, context: ToolContext): Promise<string> {
  return answer(context, async () => {
    const { runs } = await readState(context);
    return { runs: runs.map(({ run_id, environment, state, started_at, ended_at }) => ({ run_id, environment, status: state, started_at, ...(ended_at !== undefined && { ended_at }) })), count: runs.length };
  });
}
