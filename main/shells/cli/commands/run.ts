/** `run PROMPT`: one turn, streamed; with `--json` one event per line. */
import { AppError } from '../../../../preload/contract/errors.ts';
import type { ApprovalRequest, SessionId } from '../../../../preload/contract/index.ts';
import { openApprovalDesk, type ApprovalRule } from '../approval-desk.ts';
import { CALLER, EXIT, UsageError, type CommandContext, type ExitCode } from '../command.ts';
import { openCredentialDesk } from '../credential-desk.ts';
import { hostPlace, openChat, type ChatPlace } from '../open-chat.ts';
import type { CliHost } from '../host-port.ts';
import { openQuestionDesk } from '../question-desk.ts';
import { print, printJson } from '../streams.ts';
import { runTurn, type TurnEnd } from '../turn.ts';
import { turnPrinter } from '../turn-printer.ts';
import { warnYolo } from '../yolo.ts';
import { visibleLine } from '../visible.ts';

export interface RunChoices extends ChatPlace {
  readonly model?: string;
  readonly baseUrl?: string;
  readonly toolsets?: readonly string[];
  readonly disable?: readonly string[];
  readonly approvals: 'ask' | 'deny' | 'off';
}

/** `off` consents to each flagged command once; what is on the floor (`block`) stays blocked. */
const RULES: Readonly<Record<RunChoices['approvals'], ApprovalRule>> = { ask: 'ask', deny: 'deny', off: 'once' };

/** Exit codes: 0 done, 1 failed, 130 interrupted. */
export function run(context: CommandContext, prompt: string, choices: RunChoices): Promise<ExitCode> {
  const { streams, json } = context;
  const { model, baseUrl } = choices;
  return context.withHost({ ...(model === undefined ? {} : { model }), ...(baseUrl === undefined ? {} : { baseUrl }), ...hostPlace(choices) }, async (host) => {
    const session = await openChat(host, choices);
    await switchToolsets(host, session.id, choices);
    await warnYolo(context, host);
    const abort = new AbortController();
    const signal = AbortSignal.any([context.signal, abort.signal]);
    const printer = turnPrinter(streams);
    const beforeQuestion = (): void => { if (!json) printer.freshLine(); };
    const onOpened = (request: ApprovalRequest): void => { if (json) printJson(streams.stdout, { type: 'approval', request }); };
    const closers = [
      openApprovalDesk({ host, streams, sessionId: session.id, rule: RULES[choices.approvals], beforeQuestion, onOpened, onInterrupt: () => { abort.abort(); } }),
      openQuestionDesk({ host, streams, signal, beforeQuestion }),
      openCredentialDesk({ host, streams, beforeQuestion, onInterrupt: () => { abort.abort(); } }),
    ];
    try {
      const end = await runTurn({ host, sessionId: session.id, text: prompt, signal, onEvent: (event) => { if (json) printJson(streams.stdout, event); else printer.onEvent(event); } });
      const after = await host.handle('sessions.open', { sessionId: session.id, limit: 1 }, CALLER);
      if (json) printJson(streams.stdout, resultLine(session.id, end, usageSince(session.usage, after.session.usage)));
      else {
        printer.freshLine();
        if (end.error !== null) print(streams.stderr, `talaria: ${visibleLine(end.error.message)}${end.error.hint === undefined ? '' : `\n         ${visibleLine(end.error.hint)}`}`);
      }
      if (signal.aborted) return EXIT.interrupted;
      return end.reason === 'done' ? EXIT.done : EXIT.failed;
    } finally {
      for (const close of closers) close();
    }
  });
}

type Usage = { readonly promptTokens: number; readonly completionTokens: number; readonly requests: number };

const usageSince = (before: Usage, after: Usage): Usage => ({
  promptTokens: after.promptTokens - before.promptTokens, completionTokens: after.completionTokens - before.completionTokens, requests: after.requests - before.requests,
});

function resultLine(sessionId: SessionId, end: TurnEnd, usage: Usage): object {
  const toolCalls = end.calls.map((call) => ({ id: call.id, name: call.name, arguments: call.arguments, state: call.state, exitCode: call.exitCode, result: call.result }));
  return { type: 'result', text: end.text, usage, toolCalls, sessionId, reason: end.reason, ...(end.error === null ? {} : { error: end.error }) };
}

/** `--toolsets` leaves exactly these on in this chat, `--disable` takes away from what is on. */
async function switchToolsets(host: CliHost, sessionId: SessionId, { toolsets, disable }: RunChoices): Promise<void> {
  if (toolsets === undefined && disable === undefined) return;
  const known = await host.handle('toolsets.list', { sessionId }, CALLER);
  const names = new Set(known.map((toolset) => toolset.name));
  const unlisted = (wanted: readonly string[] | undefined): string[] => (wanted ?? []).filter((name) => !names.has(name));
  // Bundles (`debugging`, `hermes-cli`) are no rows of the panel, but a chat can have them.
  for (const [name, enabled] of [...unlisted(toolsets).map((name) => [name, true] as const), ...unlisted(disable).map((name) => [name, false] as const)]) {
    try {
      await host.handle('toolsets.set', { name, sessionId, enabled }, CALLER);
    } catch (error) {
      if (error instanceof AppError && error.code === 'not-found') throw new UsageError(`there is no toolset ${JSON.stringify(name)}`, `Toolsets: ${[...names].join(', ')}.`);
      throw error;
    }
  }
  for (const toolset of known) {
    const wanted = disable?.includes(toolset.name) ? false : toolsets === undefined ? toolset.enabled : toolsets.includes(toolset.name);
    if (wanted !== toolset.enabled) await host.handle('toolsets.set', { name: toolset.name, sessionId, enabled: wanted }, CALLER);
  }
}
