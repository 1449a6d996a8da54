/** `tools trust`: the person has read something and lets it run from now on. */
import { CALLER, EXIT, type CommandContext, type ExitCode } from '../command.ts';
import { print, printJson } from '../streams.ts';
import { visibleLine } from '../visible.ts';

/** With `--json`: `{trusted, problem?}`. What cannot be used all the same is said at once. What cannot be found fails like any request. */
export function trust(context: CommandContext, name: string): Promise<ExitCode> {
  return context.withHost({}, async (host) => {
    const toolsets = await host.handle('toolsets.trust', { name }, CALLER);
    const stem = name.replace(/\.\w+$/, '').replace(/\/tool$/, '');
    const own = toolsets.find((toolset) => [name, `user-${stem}`, `plugin-${name}`].includes(toolset.name));
    const reason = own?.reason ?? null;
    if (context.json) printJson(context.streams.stdout, { trusted: name, ...(reason === null ? {} : { problem: reason.message }) });
    else print(context.streams.stdout, `${context.paint('green', '✓')} ${visibleLine(name)} is trusted as it is now.`);
    if (reason !== null && !context.json) print(context.streams.stderr, `${context.paint('yellow', '!')} ${visibleLine(reason.message)}${reason.fix === undefined ? '' : `\n  ${visibleLine(reason.fix)}`}`);
    return EXIT.done;
  });
}
