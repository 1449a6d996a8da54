/** `tools trust`: the person has read something and lets it run from now on. */
import { CALLER, EXIT, type CommandContext, type ExitCode } from '../command.ts';
import { print, printJson } from '../streams.ts';
import { visibleLine } from '../visible.ts';

/** With `--json`: `{trusted}`. What cannot be found fails like any request. */
export function trust(context: CommandContext, name: string): Promise<ExitCode> {
  return context.withHost({}, async (host) => {
    await host.handle('toolsets.trust', { name }, CALLER);
    if (context.json) printJson(context.streams.stdout, { trusted: name });
    else print(context.streams.stdout, `${context.paint('green', '✓')} ${visibleLine(name)} is trusted as it is now.`);
    return EXIT.done;
  });
}
