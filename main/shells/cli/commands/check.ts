/** `check`: the verdict on a command, without running or asking. */
import { AppError, type CommandReview } from '../../../../preload/contract/index.ts';
import { markedCommand } from '../approval-card.ts';
import { CALLER, EXIT, type CommandContext, type ExitCode } from '../command.ts';
import type { CliHost } from '../host-port.ts';
import { linesOf } from '../input.ts';
import { print, printJson } from '../streams.ts';
import { visibleLine } from '../visible.ts';

export interface CheckLine {
  readonly verdict: CommandReview['verdict'];
  /** Offsets are UTF-16 units into the command. */
  readonly findings: readonly { readonly key: string; readonly description: string; readonly start: number; readonly end: number }[];
  readonly rule?: string;
}

function lineOf(review: CommandReview): CheckLine {
  const findings = review.findings.map(({ key, description, start, end }) => ({ key, description, start, end }));
  return review.rule === undefined ? { verdict: review.verdict, findings } : { verdict: review.verdict, findings, rule: review.rule };
}

const review = (host: CliHost, command: string, backend: string | undefined): Promise<CommandReview> =>
  host.handle('allowlist.test', backend === undefined ? { command } : { command, backend }, CALLER);

export function check(context: CommandContext, command: string, options: { readonly backend?: string }): Promise<ExitCode> {
  const { streams, json, paint } = context;
  return context.withHost({}, async (host) => {
    const found = await review(host, command, options.backend);
    if (json) {
      printJson(streams.stdout, lineOf(found));
      return EXIT.done;
    }
    const colour = { allow: 'green', ask: 'yellow', block: 'red' } as const;
    print(streams.stdout, paint(colour[found.verdict], paint('bold', found.verdict)));
    print(streams.stdout, markedCommand(command, found.findings, paint));
    for (const finding of found.findings) print(streams.stdout, `• ${visibleLine(finding.description)}: ${visibleLine(finding.effect)}`);
    if (found.rule !== undefined) print(streams.stdout, `Decided by: ${visibleLine(found.rule)}`);
    return EXIT.done;
  });
}

/** One JSON string per line in, one JSON object per line out, in the same order. A line that is no JSON string is answered `{error}`; exit code 1. */
export function checkLines(context: CommandContext, options: { readonly backend?: string }): Promise<ExitCode> {
  const { stdin, stdout } = context.streams;
  return context.withHost({}, async (host) => {
    let failed = false;
    for await (const line of linesOf(stdin)) {
      if (context.signal.aborted) return EXIT.interrupted;
      if (line.trim() === '') continue;
      const answer = await checkLine(host, line, options.backend);
      failed ||= 'error' in answer;
      printJson(stdout, answer);
    }
    return failed ? EXIT.failed : EXIT.done;
  });
}

async function checkLine(host: CliHost, line: string, backend: string | undefined): Promise<CheckLine | { readonly error: string }> {
  let command: unknown;
  try {
    command = JSON.parse(line);
  } catch (error) {
    return { error: `this line is no JSON: ${String(error)}` };
  }
  if (typeof command !== 'string') return { error: 'this line is JSON, but no string' };
  try {
    return lineOf(await review(host, command, backend));
  } catch (error) {
    if (error instanceof AppError) return { error: error.message };
    throw error;
  }
}
