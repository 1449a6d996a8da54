/** `tools explain NAME`: why a toolset or a tool is not in the next request, and how to mend it. */
import type { ToolsetInfo } from '../../../../preload/contract/index.ts';
import { CALLER, EXIT, UsageError, type CommandContext, type ExitCode } from '../command.ts';
import { print, printJson } from '../streams.ts';
import { visibleLine } from '../visible.ts';

/** With `--json`: `[{toolset, enabled, available, reason}]`. Exit code 1 when the model does not get it, 2 for a name that is none. */
export function explain(context: CommandContext, name: string, session: string | undefined): Promise<ExitCode> {
  return context.withHost({}, async (host) => {
    const sessionId = session === undefined ? undefined : (await host.openSession(session, {})).id;
    const list = await host.handle('toolsets.check', sessionId === undefined ? {} : { sessionId }, CALLER);
    const exact = list.filter((toolset) => toolset.name === name);
    const found = exact.length > 0 ? exact : list.filter((toolset) => toolset.tools.some((tool) => tool.name === name));
    if (found.length === 0) throw new UsageError(`there is no toolset and no tool '${name}'`, 'See talaria tools and talaria toolsets.');
    if (context.json) printJson(context.streams.stdout, found.map((toolset) => ({ toolset: toolset.name, enabled: toolset.enabled, available: toolset.available, reason: toolset.reason })));
    else for (const toolset of found) for (const line of linesOf(toolset)) print(context.streams.stdout, line);
    return found.some((toolset) => toolset.reason === null) ? EXIT.done : EXIT.failed;
  });
}

function linesOf({ name, reason, tools }: ToolsetInfo): string[] {
  if (reason === null) return [`${name}: in the next request, ${String(tools.filter((tool) => tool.available).length)} of ${String(tools.length)} tools.`];
  return [`${name}: ${reason.step}`, `  ${visibleLine(reason.message)}`, ...(reason.fix === undefined ? [] : [`  ${visibleLine(reason.fix)}`])];
}
