/** `call NAME JSON`: one tool call through the whole path; its result string on stdout. */
import { openApprovalDesk, type ApprovalRule } from '../approval-desk.ts';
import { CALLER, EXIT, UsageError, type CommandContext, type ExitCode } from '../command.ts';
import { openCredentialDesk } from '../credential-desk.ts';
import { hostPlace, openChat, type ChatPlace } from '../open-chat.ts';
import { openQuestionDesk } from '../question-desk.ts';
import { print } from '../streams.ts';
import { warnYolo } from '../yolo.ts';

export interface CallChoices extends ChatPlace { readonly approve?: 'once' | 'deny' }

/** Exit code 0, or 1 when the result is an error object. */
export function call(context: CommandContext, name: string, json: string, choices: CallChoices): Promise<ExitCode> {
  const args = argumentsOf(json);
  const { streams } = context;
  const rule: ApprovalRule = choices.approve ?? 'ask';
  return context.withHost(hostPlace(choices), async (host) => {
    const session = await openChat(host, choices);
    await warnYolo(context, host);
    const abort = new AbortController();
    const onInterrupt = (): void => { abort.abort(); };
    const closers = [openApprovalDesk({ host, streams, sessionId: session.id, rule, onInterrupt }), openCredentialDesk({ host, streams, onInterrupt })];
    const signal = AbortSignal.any([context.signal, abort.signal]);
    closers.push(openQuestionDesk({ host, streams, signal }));
    try {
      const outcome = await host.callTool(name, args, { sessionId: session.id, signal });
      const text = typeof outcome.result === 'string' ? outcome.result : JSON.stringify(outcome.result);
      print(streams.stdout, text);
      if (context.signal.aborted || abort.signal.aborted) return EXIT.interrupted;
      return outcome.status !== 'ok' || isErrorObject(text) ? EXIT.failed : EXIT.done;
    } finally {
      for (const close of closers) close();
      /** A chat made for this one call would only stand empty in the list of chats. */
      if (choices.session === undefined) {
        await host.handle('sessions.delete', { sessionId: session.id }, CALLER).catch((error: unknown) => { host.log.warn('the chat of one call stays in the list', { error }); });
      }
    }
  });
}

function argumentsOf(json: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw new UsageError(`the arguments are no JSON: ${error instanceof Error ? error.message : String(error)}`, `Example: talaria call read_file '{"path":"README.md"}'`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new UsageError('the arguments must be one JSON object', `Example: talaria call read_file '{"path":"README.md"}'`);
  return value as Record<string, unknown>; // checked: an object, and JSON gives it string keys
}

/** `error` set to anything but null, as tools answer when they fail (hermes-runtime 1.9). */
function isErrorObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && 'error' in value && value.error !== null && value.error !== '';
  } catch {
    return false; // plain text is a result
  }
}
