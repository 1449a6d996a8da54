/** `allowlist test COMMAND`: the tree of its sub-commands, what decides each, and the verdict on every backend. Nothing runs. */
import type { CommandPart, Verdict } from '../../../../preload/contract/index.ts';
import { CALLER, EXIT, type CommandContext, type ExitCode } from '../command.ts';
import { print, printJson } from '../streams.ts';
import { visibleLine } from '../visible.ts';

const COLOURS = { allow: 'green', ask: 'yellow', block: 'red' } as const satisfies Record<Verdict, string>;
const WIDEST_VERDICT = 5;

export function testCommand(context: CommandContext, command: string): Promise<ExitCode> {
  const { streams, json, paint } = context;
  const verdictText = (verdict: Verdict): string => paint(COLOURS[verdict], verdict.padEnd(WIDEST_VERDICT));
  const partLine = ({ text, depth, verdict, rule }: CommandPart): string =>
    `${verdictText(verdict)} ${'  '.repeat(depth)}${depth > 0 ? '└ ' : ''}${visibleLine(text)}${rule === undefined ? '' : `  ${paint('dim', visibleLine(rule))}`}`;
  return context.withHost({}, async (host) => {
    const found = await host.handle('allowlist.test', { command }, CALLER);
    if (json) {
      printJson(streams.stdout, found);
      return EXIT.done;
    }
    print(streams.stdout, `${paint(COLOURS[found.verdict], paint('bold', found.verdict))}${found.rule === undefined ? '' : `  ${visibleLine(found.rule)}`}`);
    for (const part of found.parts) print(streams.stdout, `  ${partLine(part)}`);
    for (const finding of found.findings) print(streams.stdout, `• ${visibleLine(finding.description)}: ${visibleLine(finding.effect)}`);
    for (const { backend, verdict, rule } of found.backends ?? []) print(streams.stdout, `${verdictText(verdict)} on ${backend}${rule === undefined ? '' : `  ${paint('dim', visibleLine(rule))}`}`);
    return EXIT.done;
  });
}
