/** The chosen environment of each chat, and all runs: kept in the home, so that a restart loses none. */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ToolContext } from '../context.ts';
import { RlError } from './answer.ts';
import type { RunConfig } from './config.ts';

export interface Run {
  readonly run_id: string; readonly environment: string; readonly state: 'starting' | 'running' | 'stopped' | 'failed' | 'finished'; readonly started_at: string; readonly ended_at?: string; readonly error?: string;
  readonly config_path: string;
  /** Of the terminals layer. */
  readonly processes: Readonly<Partial<Record<'api' | 'trainer' | 'environment', string>>>;
  /** When its status was last looked at, in milliseconds since 1970. */
  readonly checkedAt?: number;
  readonly last_status?: Readonly<Record<string, unknown>>;
}
interface State { readonly chosen: Readonly<Record<string, RunConfig>>; readonly runs: readonly Run[] }

const EMPTY: State = { chosen: {}, runs: [] };
/** Changes of one process one after the other; the file is replaced whole. */
let queue: Promise<unknown> = Promise.resolve();

const fileOf = ({ services }: ToolContext): string => join(services.paths.home, 'rl', 'state.json');

export async function readState(context: ToolContext): Promise<State> {
  const path = fileOf(context);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return EMPTY;
    throw error;
  }
  try {
    return { ...EMPTY, ...(JSON.parse(text) as Partial<State>) }; // cast: written below
  } catch {
    throw new RlError(`${path} is damaged. Move it away; the runs themselves are listed by Weights & Biases.`);
  }
}

export function changeState(context: ToolContext, change: (state: State) => State): Promise<State> {
  const next = queue.then(async () => {
    const changed = change(await readState(context));
    const path = fileOf(context);
    await mkdir(join(path, '..'), { recursive: true, mode: 0o700 });
    await writeFile(`${path}.part`, JSON.stringify(changed, null, 2), { mode: 0o600 });
    await rename(`${path}.part`, path);
    return changed;
  });
  queue = next.catch(() => undefined);
  return next;
}

export async function chosenConfig(context: ToolContext): Promise<RunConfig> {
  const config = (await readState(context)).chosen[context.sessionId];
  if (config === undefined) throw new RlError('No environment is chosen in this chat. Choose one with rl_select_environment.');
  return config;
}

export function updateRun(context: ToolContext, runId: string, change: Partial<Run>): Promise<State> {
  return changeState(context, (state) => ({ ...state, runs: state.runs.map((run) => (run.run_id === runId ? { ...run, ...change } : run)) }));
}

export async function findRun(context: ToolContext, runId: unknown): Promise<Run> {
  const { runs } = await readState(context);
  const run = runs.find((each) => each.run_id === runId);
  if (run === undefined) throw new RlError(`There is no run '${typeof runId === 'string' ? runId.slice(0, 40) : ''}'. rl_list_runs gives them all.`);
  return run;
}
