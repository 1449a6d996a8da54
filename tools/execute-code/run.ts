/** `execute_code` (hermes-runtime 7.2): the script is put where the chat's terminal works, run there, and answered while it runs. */
import { randomBytes } from 'node:crypto';
import { constants } from 'node:os';
import { posix } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type EnvironmentForTools, EnvironmentError } from '../../environments/base.ts';
import type { ReviewOutcome, RunResult, ToolContext } from '../context.ts';
import { describeThrown, toolResult } from '../result.ts';
import { shellQuote } from '../shared/paths.ts';
import { plainText } from '../shared/plain-text.ts';
import { openScriptLine, type ScriptLine } from './calls.ts';
import { LANGUAGES, SANDBOX_TOOLS, type Language, type ScriptSchema, type ScriptTool, scriptFunctions } from './languages.ts';
import { capOutput, readEnds } from './output.ts';
import { answerFiles, listenOnSocket } from './transport.ts';
import { createStopwatch } from './stopwatch.ts';

/** Hermes' figures; `code_execution.timeout`, `.max_tool_calls` and `.mode` of config.yaml win. */
const DEFAULT_TIMEOUT_S = 300;
const DEFAULT_MAX_CALLS = 50;
const MAX_STDERR_BYTES = 10_000;
const MAX_CODE_CHARS = 1_000_000;
/** The terminal's own limit stands behind ours, which stops counting while a person is asked. */
const BACKSTOP_MS = 24 * 60 * 60 * 1_000;
const NOT_FOUND = 127;
const UPKEEP_MS = 15_000;
const STDERR_MARK = '--- stderr ---';
/** A shell's word for a death by signal N: 128 + N. */
const SIGNAL_EXIT_BASE = 128;
const LEFTOVER_VARIABLE = 'TALARIA_SCRIPT';

const nameBySignal = new Map<number, string>(Object.entries(constants.signals).map(([name, number]) => [number, name]));

interface Wish { readonly code: string; readonly language: Language }

export async function executeCode(args: Record<string, unknown>, context: ToolContext, schemaOf: (name: string) => ScriptSchema | undefined): Promise<string> {
  const wish = read(args);
  if ('error' in wish) return finished('error', { output: '', error: wish.error });
  const review = await context.services.approvals.review({
    tool: 'execute_code', command: wish.code, cwd: context.cwd, sessionId: context.sessionId, taskId: context.taskId, toolCallId: context.toolCallId, signal: context.signal,
    onWaiting: (approvalId, waiting) => { context.emit({ kind: 'approval', approvalId, state: waiting ? 'waiting' : 'settled' }); },
  });
  if (!review.approved) return finished('error', { output: '', error: review.message ?? 'The script was not approved.', ...(review.outcome !== undefined && { outcome: review.outcome }) });
  return run({ ...wish, code: review.command }, review, context, schemaOf);
}

function read({ code, command, language = 'python' }: Record<string, unknown>): Wish | { readonly error: string } {
  if (typeof code !== 'string' && typeof command === 'string') return { error: "execute_code runs scripts and takes 'code'. For a shell command use the terminal tool with 'command'." };
  if (typeof code !== 'string' || code.trim() === '') return { error: "execute_code needs 'code': the script to run. It was empty." };
  if (code.length > MAX_CODE_CHARS) return { error: `The script has more than ${MAX_CODE_CHARS.toLocaleString('en-US')} characters. Put data into files and read them in the script.` };
  if (language !== 'python' && language !== 'javascript') return { error: `'language' is 'python' or 'javascript', not '${String(language).slice(0, 40)}'.` };
  return { code, language: LANGUAGES[language] };
}

function number(context: ToolContext, path: string, fallback: number): number {
  const value = Number(context.services.config.get(path));
  return Number.isFinite(value) && value > 0 ? value : fallback;
}

async function run({ code, language }: Wish, review: ReviewOutcome, context: ToolContext, schemaOf: (name: string) => ScriptSchema | undefined): Promise<string> {
  const { services, signal } = context;
  const environment = await services.files.environment(context.taskId);
  const place = environment.describe();
  const folder = posix.join(place.tmpdir, `talaria-script-${randomBytes(8).toString('hex')}`);
  const token = randomBytes(24).toString('hex');
  // Behind a sandbox's wall temporary directories are others than the host's.
  const sharesMachine = place.backend === 'local' && place.sandbox === undefined && process.platform !== 'win32';
  const socket = sharesMachine ? posix.join(folder, 'line') : undefined;
  const timeoutMs = number(context, 'code_execution.timeout', DEFAULT_TIMEOUT_S) * 1_000;
  // Outside a chat nobody chose tools: then it is all there are.
  const { enabledTools = [] } = context;
  const tools = SANDBOX_TOOLS.filter((name) => (enabledTools.length === 0 || enabledTools.includes(name)) && schemaOf(name) !== undefined);

  const watch = createStopwatch(timeoutMs);
  const ended = new AbortController();
  const line = openScriptLine({
    tools, token, context, signal: AbortSignal.any([signal, ended.signal, watch.signal]), maxCalls: Math.trunc(number(context, 'code_execution.max_tool_calls', DEFAULT_MAX_CALLS)),
    onWaiting: (waiting) => { watch.pause(waiting); },
  });
  let stopListening: () => Promise<void> = () => Promise.resolve();
  try {
    await prepare(environment, folder, { code, language, tools, schemaOf, socket, token, project: services.config.get('code_execution.mode') !== 'strict' });
    if (socket === undefined) {
      const answering = answerFiles(environment, folder, (request) => line.answer(request), ended.signal).catch((error: unknown) => {
        services.log('error', 'the calls of a script are not answered any more', { folder, error: describeThrown(error) });
      });
      // A look at the folder that never comes back must not keep the result.
      stopListening = () => Promise.race([answering, sleep(UPKEEP_MS, undefined, { ref: false })]);
    } else {
      stopListening = await listenOnSocket(socket, (request) => line.answer(request));
    }
    watch.start();
    const result = await services.terminals.run({
      taskId: context.taskId, sessionId: context.sessionId, toolCallId: context.toolCallId, command: `/bin/sh ${shellQuote(posix.join(folder, 'run.sh'))}`, timeoutMs: BACKSTOP_MS, signal: AbortSignal.any([signal, watch.signal]),
      onStarted: (terminalId) => { context.emit({ kind: 'terminal', terminalId }); },
      onOutput: (tail) => { context.emit({ kind: 'output', tail: services.redact(plainText(tail)) }); },
    });
    if (review.approvalId !== undefined) services.approvals.recordExit(review.approvalId, result.exitCode);
    return await report(result, { watch, line, language, stopped: signal.aborted, timeoutMs, context, edited: review.edited === true });
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof EnvironmentError)) throw error;
    return finished('error', { output: '', tool_calls_made: line.made, error: `The script could not be run: ${error.message}` });
  } finally {
    watch.stop();
    ended.abort();
    await stopListening();
    await environment.exec({ command: `rm -rf -- ${shellQuote(folder)}`, timeoutMs: UPKEEP_MS, maxBytes: 1_000 }).catch((error: unknown) => {
      services.log('warn', 'the folder of a script could not be removed', { folder, error: describeThrown(error) });
    });
  }
}

interface Files {
  readonly code: string; readonly language: Language; readonly tools: readonly ScriptTool[]; readonly schemaOf: (name: string) => ScriptSchema | undefined;
  readonly socket: string | undefined; readonly token: string; readonly project: boolean;
}

async function prepare(environment: EnvironmentForTools, folder: string, { code, language, tools, schemaOf, socket, token, project }: Files): Promise<void> {
  const made = await environment.exec({ command: `umask 077 && mkdir -p -- ${shellQuote(folder)}`, timeoutMs: UPKEEP_MS, maxBytes: 4_000 });
  if (made.exitCode !== 0) throw new EnvironmentError('failed', `no folder for it could be made in ${posix.dirname(folder)} (${Buffer.from(made.output).toString('utf8').trim().slice(-300) || `exit code ${String(made.exitCode)}`}). Check with the terminal tool that it can be written there, and that PATH holds /bin and /usr/bin.`);
  const mark = `${LEFTOVER_VARIABLE}=${posix.basename(folder)}`;
  // Standard error is kept apart and shown at the end, and only when the script failed: progress bars are no result.
  const start = [
    `folder=${shellQuote(folder)}`, language.find(project), `if [ -z "$program" ]; then echo ${shellQuote(language.missing)}; exit ${String(NOT_FOUND)}; fi`,
    ...(project ? [] : ['cd "$folder"']),
    // What the shell itself says of a script that was killed is nobody's output.
    'exec 4>&2 2>/dev/null', `( exec env ${mark} ${language.start(project)} 2>"$folder/stderr" 4>&- </dev/null )`, 'code=$?', 'exec 2>&4 4>&-', ...endLeftovers(mark),
    `if [ "$code" -ne 0 ] && [ -s "$folder/stderr" ]; then printf '\\n${STDERR_MARK}\\n'; tail -c ${String(MAX_STDERR_BYTES)} "$folder/stderr"; fi`, 'exit "$code"',
  ].join('\n');
  const files = { ...language.files(scriptFunctions(tools, schemaOf), { folder, socket, token }), [language.scriptName]: code, 'run.sh': `${start}\n` };
  await Promise.all(Object.entries(files).map(([name, text]) => environment.writeFile(posix.join(folder, name), Buffer.from(text), { mode: 0o600 })));
}

/** Shell lines that end what the script started and left behind, however it went into the background: all of it carries the mark. Where there is no /proc nothing is found. */
function endLeftovers(mark: string): string[] {
  return [
    `leftovers() { grep -lsa ${shellQuote(mark)} /proc/[0-9]*/environ | sed 's|^/proc/||; s|/environ$||'; }`,
    'for signal in TERM KILL KILL KILL; do',
    '  pids=$(leftovers); [ -n "$pids" ] || break', '  kill -$signal $pids 2>/dev/null', '  for wait in 1 2 3 4 5; do [ -n "$(leftovers)" ] || break; sleep 0.2; done', 'done',
  ];
}

interface Ending {
  readonly watch: { readonly expired: boolean; readonly elapsedMs: number }; readonly line: ScriptLine; readonly language: Language; readonly stopped: boolean; readonly timeoutMs: number; readonly context: ToolContext; readonly edited: boolean;
}

async function report(result: RunResult, { watch, line, language, stopped, timeoutMs, context, edited }: Ending): Promise<string> {
  const printed = result.fullOutputPath === undefined ? { text: result.output } : await readEnds(result.fullOutputPath).catch(() => ({ text: result.output })); // removed meanwhile: what is at hand is shown
  const { text, totalBytes, truncated } = capOutput(context.services.redact(plainText(printed.text)), printed.omittedBytes);
  const facts = {
    output: text, tool_calls_made: line.made, duration_seconds: Number((watch.elapsedMs / 1_000).toFixed(2)), ...(result.exitCode !== null && { exit_code: result.exitCode }),
    ...(truncated && { stdout_truncated: true, stdout_bytes_total: totalBytes }), ...(edited && { approval_note: 'The user edited the script before it ran.' }),
  };
  if (watch.expired) return finished('timeout', { ...facts, error: `The script was ended after ${String(timeoutMs / 1_000)} s. Do less in one script, or raise code_execution.timeout in config.yaml.` });
  if (stopped || result.why === 'abort') return finished('interrupted', { ...facts, error: 'The user stopped the script.' });
  if (result.why !== 'exit') return finished('error', { ...facts, error: result.detail ?? 'The script did not come to its end.' });
  if (result.exitCode === NOT_FOUND && text.includes(language.missing)) return finished('error', { ...facts, error: language.missing });
  if (result.exitCode !== 0) return finished('error', { ...facts, error: `The script ${endWords(result)}.${text.includes(STDERR_MARK) ? ' Its error is at the end of the output.' : ''}` });
  return finished('success', facts);
}

function endWords({ exitCode, detail }: RunResult): string {
  const signal = nameBySignal.get((exitCode ?? 0) - SIGNAL_EXIT_BASE);
  if (signal !== undefined) return `was killed by ${signal}${signal === 'SIGKILL' ? ', probably out of memory' : ''} (exit code ${String(exitCode)})`;
  return `ended with exit code ${String(exitCode)}${detail === undefined ? '' : ` (${detail})`}`;
}

function finished(status: 'success' | 'error' | 'timeout' | 'interrupted', fields: Readonly<Record<string, unknown>>): string {
  return toolResult({ status, tool_calls_made: 0, duration_seconds: 0, ...fields });
}
