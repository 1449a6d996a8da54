/** One call of the terminal tool: check, guide, ask, run, report (hermes-runtime 5.3). */
import { posix } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EnvironmentError } from '../../environments/base.ts';
import type { ReviewOutcome, RunResult, ToolContext } from '../context.ts';
import { toolResult } from '../result.ts';
import { plainText } from '../shared/plain-text.ts';
import { readArguments, type TerminalArguments } from './arguments.ts';
import { argv, basename, parseLine, simpleCommands } from './commands.ts';
import { rewriteCompoundBackground } from './compound.ts';
import { destructionTargets } from './destruction.ts';
import { exitCodeMeaning } from './exit-meaning.ts';
import { foregroundGuidance } from './guidance.ts';
import { redactionMode } from './output.ts';
import { refuseSudoFromStdin, sudoHint } from './sudo.ts';
import { withSudoAskpass } from './sudo-askpass.ts';

/** Hermes' figures (hermes-runtime 5.1, 5.2). */
const DEFAULT_TIMEOUT_S = 180;
const MAX_FOREGROUND_S = 600;
const TIMEOUT_EXIT_CODE = 124;
const INTERRUPT_EXIT_CODE = 130;
/** A refusal comes at once; who waited longer would wait so again, and a person with it. */
const SILENCE_MS = 4_000;
/** Waits before another attempt when the backend could not be reached; the command has not been started then. */
const RETRY_AFTER_MS = [2_000, 4_000, 8_000] as const;

function failure(error: string, status: string, extra: Readonly<Record<string, unknown>> = {}): string {
  return toolResult({ output: '', exit_code: -1, error, status, ...extra });
}

/** config.yaml's `terminal.*` does not count once TERMINAL_ENV is set (hermes-runtime 5.2). */
function seconds(context: ToolContext, variable: string, path: string | undefined, fallback: number): number {
  const { config } = context.services;
  const readsFile = path !== undefined && (config.env('TERMINAL_ENV')?.trim() ?? '') === '';
  const value = config.env(variable) ?? (readsFile ? config.get(path) : undefined);
  const number = Number(value ?? fallback);
  return Number.isFinite(number) && number > 0 ? number : fallback;
}

export async function runTerminalTool(args: Record<string, unknown>, context: ToolContext): Promise<string> {
  const given = readArguments(args);
  if ('error' in given) return failure(given.error, given.status);
  const most = seconds(context, 'TERMINAL_MAX_FOREGROUND_TIMEOUT', undefined, MAX_FOREGROUND_S);
  if (!given.background) {
    if (given.timeoutSeconds !== undefined && given.timeoutSeconds > most) {
      return failure(`Foreground timeout ${given.timeoutSeconds}s exceeds the maximum of ${most}s. Use background=true with notify_on_complete=true for longer work.`, 'error');
    }
    const guidance = foregroundGuidance(given.command);
    if (guidance !== undefined) return failure(guidance, 'error');
  }
  const sudoRefusal = refuseSudoFromStdin(given.command);
  if (sudoRefusal !== undefined) return failure(sudoRefusal, 'blocked');

  // Rewritten before it is shown to anybody: what is approved is what runs.
  const command = rewriteCompoundBackground(given.command);
  const review = await context.services.approvals.review({
    tool: 'terminal', command, cwd: given.workdir ?? context.cwd, sessionId: context.sessionId, taskId: context.taskId, toolCallId: context.toolCallId, signal: context.signal,
    onWaiting: (approvalId, waiting) => context.emit({ kind: 'approval', approvalId, state: waiting ? 'waiting' : 'settled' }),
  });
  if (!review.approved) return refused(review, context);
  const approved: TerminalArguments = { ...given, command: review.command };
  try {
    await keepWhatItDestroys(approved, context);
    return approved.background ? await startInBackground(approved, review, context) : await runInForeground(approved, review, context, most);
  } catch (error) {
    return thrown(error, approved, context);
  }
}

/** Files that the command is going to change or remove are kept first, so that the user can put them back. */
async function keepWhatItDestroys(given: TerminalArguments, context: ToolContext): Promise<void> {
  const { checkpoints, files } = context.services;
  const targets = checkpoints === undefined ? [] : destructionTargets(given.command);
  if (checkpoints === undefined || targets.length === 0) return;
  const environment = await files.environment(context.taskId);
  const { homeDirectory, defaultCwd } = environment.describe();
  const absolute = (path: string, from: string): string => posix.resolve(from, path.replace(/^~(?=$|\/)/, homeDirectory));
  const cwd = absolute(given.workdir ?? '.', context.cwd === '' ? defaultCwd : context.cwd);
  const paths = await Promise.all(targets.map((target) => environment.realpath(absolute(target, cwd))));
  await checkpoints.keep({ taskId: context.taskId, sessionId: context.sessionId, toolCallId: context.toolCallId, tool: 'terminal', command: given.command, paths });
}

/** Nobody could be asked yet: the question stays open, and the model is told to stop (hermes-runtime 4.10, 5.3). */
function pending({ message, command, description, pattern_key, smart_denied, allow_permanent }: ReviewOutcome, { services: { redact } }: ToolContext): string {
  return toolResult({
    output: '', exit_code: -1, error: '', status: 'pending_approval', approval_pending: true, command: redact(command), description: description ?? '', pattern_key: pattern_key ?? '',
    smart_denied: smart_denied === true, allow_permanent: allow_permanent === true, message: redact(message ?? ''),
  });
}

function refused(review: ReviewOutcome, context: ToolContext): string {
  if (review.approval_pending === true) return pending(review, context);
  const { outcome, pattern_key, description, deny_reason, hardline, user_deny, smart_denied } = review;
  return failure(context.services.redact(review.message ?? 'The command was not approved.'), 'blocked', {
    ...(outcome === undefined ? {} : { outcome }), ...(pattern_key === undefined ? {} : { pattern_key }), ...(description === undefined ? {} : { description }),
    ...(deny_reason === undefined ? {} : { deny_reason }), ...(hardline === undefined ? {} : { hardline }), ...(user_deny === undefined ? {} : { user_deny }),
    ...(smart_denied === undefined ? {} : { smart_denied }),
  });
}

/** What the person's part was, for the result: edited commands are told, so the model knows what really ran. */
function approvalFields(review: ReviewOutcome): Record<string, unknown> {
  return {
    ...(review.note === undefined ? {} : { approval: review.note }),
    ...(review.edited === true ? { command_run: review.command, approval_note: 'The user edited the command before it ran.' } : {}),
  };
}

/** `gh auth login --with-token` reads its token from a pipe and refuses a terminal (hermes-runtime 5.4). */
function needsPipe(command: string): boolean {
  return simpleCommands(parseLine(command)?.commands ?? []).map(argv)
    .some(([program, first, second, ...rest]) => program !== undefined && basename(program) === 'gh' && first === 'auth' && second === 'login' && rest.includes('--with-token'));
}

function ptyFields(given: TerminalArguments): { readonly pty: boolean; readonly fields: Record<string, unknown> } {
  if (!given.pty || !needsPipe(given.command)) return { pty: given.pty, fields: {} };
  return { pty: false, fields: { pty_note: 'Run without a pseudo-terminal: gh auth login --with-token reads the token from a pipe.' } };
}

async function runInForeground(given: TerminalArguments, review: ReviewOutcome, context: ToolContext, most: number): Promise<string> {
  const { terminals, redact } = context.services;
  const { pty, fields } = ptyFields(given);
  const timeoutMs = Math.min(given.timeoutSeconds ?? seconds(context, 'TERMINAL_TIMEOUT', 'terminal.timeout', DEFAULT_TIMEOUT_S), most) * 1_000;
  const mode = redactionMode(given.command);
  const result = await reaching(context.signal, () => terminals.run({
    taskId: context.taskId, sessionId: context.sessionId, toolCallId: context.toolCallId, command: given.command, timeoutMs, signal: context.signal, pty,
    ...(given.workdir === undefined ? {} : { workdir: given.workdir }), ...sudoFields(given.command),
    onStarted: (terminalId) => context.emit({ kind: 'terminal', terminalId }),
    onOutput: (tail) => context.emit({ kind: 'output', tail: redact(plainText(tail), mode) }),
  }));
  const exitCode = exitCodeFor(result);
  if (exitCode !== null) context.emit({ kind: 'exit-code', exitCode });
  if (review.approvalId !== undefined) context.services.approvals.recordExit(review.approvalId, exitCode);
  return toolResult({ ...report(given, result, exitCode, mode, context), ...approvalFields(review), ...fields });
}

function sudoFields(command: string): { readonly sudoCommand?: string } {
  const sudoCommand = withSudoAskpass(command);
  return sudoCommand === undefined ? {} : { sudoCommand };
}

function exitCodeFor(result: RunResult): number | null {
  if (result.why === 'timeout') return TIMEOUT_EXIT_CODE;
  if (result.why === 'abort') return INTERRUPT_EXIT_CODE;
  if (result.exitCode !== null || result.signal === null) return result.exitCode;
  return SIGNAL_EXIT.get(result.signal) ?? -1;
}

/** A shell's way to say "killed by signal N": 128 + N. */
const SIGNAL_EXIT = new Map([['SIGHUP', 129], ['SIGINT', 130], ['SIGQUIT', 131], ['SIGABRT', 134], ['SIGFPE', 136], ['SIGKILL', 137], ['SIGSEGV', 139], ['SIGPIPE', 141], ['SIGTERM', 143]]);

function report(given: TerminalArguments, result: RunResult, exitCode: number | null, mode: 'output' | 'environment', context: ToolContext): Record<string, unknown> {
  const sudo = sudoHint(given.command, result.output);
  const shown = context.services.redact(plainText(sudo === undefined ? result.output : `${result.output}\n${sudo.hint}`), mode).trim();
  const waits = result.why === 'waiting-for-input' || result.why === 'full-screen';
  const mark = result.why === 'timeout' ? `[Command timed out after ${Math.round(result.durationMs / 1_000)}s]` : result.why === 'abort' ? '[Command interrupted]' : undefined;
  const meaning = result.why === 'exit' ? exitCodeMeaning(given.command, exitCode) : undefined;
  const words = result.detail === undefined ? undefined : context.services.redact(result.detail);
  return {
    output: mark === undefined ? shown : shown === '' ? mark : `${shown}\n${mark}`,
    exit_code: exitCode,
    error: result.why === 'lost' ? words ?? 'The backend was lost while the command ran; it may still be running there.' : null,
    ...(result.why === 'lost' ? { status: 'degraded' } : {}),
    ...(result.screen === undefined ? {} : { screen: context.services.redact(result.screen) }),
    ...(waits ? {
      status: result.why === 'full-screen' ? 'full_screen' : 'waiting_for_input', session_id: result.terminalId,
      note: `${words ?? 'The program waits.'} It is still running: use the process tool with this session_id to read its output, write to it or kill it; you are told when it ends.`,
    } : words !== undefined && result.why === 'exit' ? { reason: words } : {}),
    ...(meaning === undefined ? {} : { exit_code_meaning: meaning }),
    ...(sudo?.rejected === true ? { sudo_auth_failed: true } : {}), ...(result.sudoForgotten === true ? { sudo_cache_cleared: true } : {}),
    ...(result.fullOutputPath === undefined ? {} : {
      full_output_path: result.fullOutputPath, output_total_chars: result.totalChars, output_note: 'The whole output is in that file: page through it with read_file instead of running the command again.',
    }),
    ...(result.environmentRecreated === true ? { environment_recreated: true } : {}),
    ...(result.notes.length === 0 ? {} : { cwd_note: result.notes.join(' ') }),
  };
}

async function startInBackground(given: TerminalArguments, review: ReviewOutcome, context: ToolContext): Promise<string> {
  const { pty, fields } = ptyFields(given);
  const bothAsked = given.notifyOnComplete && given.watchPatterns.length > 0;
  const patterns = bothAsked ? [] : given.watchPatterns;
  let started;
  try {
    started = await context.services.terminals.start({
      taskId: context.taskId, sessionId: context.sessionId, toolCallId: context.toolCallId, command: given.command, pty,
      notifyOnComplete: given.notifyOnComplete, watchPatterns: patterns, ...(given.workdir === undefined ? {} : { workdir: given.workdir }), ...sudoFields(given.command),
    });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return failure(context.services.redact(`Failed to start background process: ${message}`), 'error');
  }
  context.emit({ kind: 'terminal', terminalId: started.terminalId });
  return toolResult({
    output: 'Background process started', session_id: started.processId, pid: started.pid, exit_code: 0, error: null, ...approvalFields(review), ...fields,
    ...(given.notifyOnComplete || patterns.length > 0 ? {} : { hint: 'Nothing tells you when it ends: set notify_on_complete=true for work that ends, or look at it with the process tool.' }),
    ...(given.notifyOnComplete ? { notify_on_complete: true } : {}), ...(patterns.length > 0 ? { watch_patterns: patterns } : {}),
    ...(bothAsked ? { watch_patterns_ignored: 'watch_patterns are not used together with notify_on_complete' } : {}),
    ...(started.notes.length === 0 ? {} : { cwd_note: started.notes.join(' ') }),
  });
}

/** Tries again while the backend cannot be reached. Once a command was started, nothing is thrown, so none runs twice. A silence is not waited for again. */
async function reaching<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  for (const wait of RETRY_AFTER_MS) {
    const began = performance.now();
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof EnvironmentError) || error.code !== 'unreachable' || signal.aborted || performance.now() - began > SILENCE_MS) throw error;
      await sleep(wait, undefined, { signal });
    }
  }
  return work();
}

function thrown(error: unknown, given: TerminalArguments, context: ToolContext): string {
  const { redact, log } = context.services;
  const message = error instanceof Error ? error.message : String(error);
  if (context.signal.aborted) return toolResult({ output: '[Command interrupted]', exit_code: INTERRUPT_EXIT_CODE, error: null });
  log('warn', 'a terminal command could not be run', { error });
  if (error instanceof EnvironmentError) {
    const hint = error.hint === undefined ? '' : ` ${error.hint}`;
    if (error.code === 'missing') return failure(redact(`${message}.${hint}`), 'disabled');
    if (error.code === 'unreachable') return failure(redact(`The terminal backend cannot be reached: ${message}.${hint} Try again later.`), 'degraded');
    if (error.code === 'timeout') return toolResult({ output: '', exit_code: TIMEOUT_EXIT_CODE, error: redact(`Command timed out after ${given.timeoutSeconds ?? DEFAULT_TIMEOUT_S} seconds: ${message}`), status: 'error' });
    return failure(redact(`Failed to execute command: ${message}.${hint}`), 'error');
  }
  return failure(redact(`Failed to execute command: ${message}`), 'error', { traceback: redact(error instanceof Error ? error.stack ?? message : message) });
}
