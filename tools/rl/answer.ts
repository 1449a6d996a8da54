/** What all rl_* tools do around their own work, and where their checkout is. */
import { posix } from 'node:path';
import type { EnvironmentForTools } from '../../environments/base.ts';
import type { ToolContext } from '../context.ts';
import { toolError, toolResult } from '../result.ts';
import { shellQuote } from '../shared/paths.ts';

const HELPER_MS = 60_000;
const MAX_BYTES = 4 * 1024 * 1024;

/** `message` is for the model: cause and next step. */
export class RlError extends Error {}

export interface Place {
  readonly environment: EnvironmentForTools;
  /** The checkout of tinker-atropos, inside the backend. */
  readonly root: string;
}

export async function answer(context: ToolContext, work: (place: Place) => Promise<Readonly<Record<string, unknown>>>): Promise<string> {
  const { config, files, redact } = context.services;
  try {
    const environment = await files.environment(context.taskId);
    const { homeDirectory } = environment.describe();
    const named = config.env('TINKER_ATROPOS_ROOT') ?? config.get('rl.root');
    const root = typeof named === 'string' && named.trim() !== '' ? named.trim().replace(/^~(?=\/|$)/, homeDirectory) : posix.join(homeDirectory, '.hermes', 'tinker-atropos');
    if ((await environment.stat(root))?.kind !== 'directory') throw new RlError(`There is no checkout of tinker-atropos at ${root}. Clone it there, or name it in rl.root of config.yaml.`);
    return redact(toolResult(await work({ environment, root })));
  } catch (error) {
    context.signal.throwIfAborted();
    if (error instanceof RlError) return toolError(redact(error.message), { success: false });
    throw error;
  }
}

/** Runs a Python program given as text in the checkout and reads the JSON it prints. Throws RlError. */
export async function python(place: Place, program: string, args: readonly string[], signal: AbortSignal): Promise<unknown> {
  const { environment, root } = place;
  const command = `cd ${shellQuote(root)} && p=./.venv/bin/python; [ -x "$p" ] || p=python3; "$p" - ${args.map(shellQuote).join(' ')}`;
  const { exitCode, output } = await environment.exec({ command, stdin: program, timeoutMs: HELPER_MS, maxBytes: MAX_BYTES, signal });
  const line = new TextDecoder().decode(output).trim().split('\n').at(-1) ?? '';
  if (exitCode === 0 && /^[[{]/.test(line)) {
    try {
      return JSON.parse(line);
    } catch {
      throw new RlError(`Python in ${root} answered with something that is no JSON: ${line.slice(0, 300)}`);
    }
  }
  throw new RlError(`Python in ${root} failed (exit code ${String(exitCode)}): ${line.slice(0, 500) || 'it said nothing'}. It needs Python 3.11 or newer with the requirements of tinker-atropos.`);
}
