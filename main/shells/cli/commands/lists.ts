/** `tools`, `toolsets`, `sessions`, `doctor`: lists for people and for scripts. */
import type { ToolsetInfo } from '../../../../preload/contract/index.ts';
import { CALLER, EXIT, type CommandContext, type ExitCode } from '../command.ts';
import { print, printJson } from '../streams.ts';
import { visibleLine } from '../visible.ts';

/** Longest description in a list for people; `--json` has the whole one. */
const SHOWN_CHARS = 90;

const reasonOf = ({ reason }: ToolsetInfo): { reason?: string; fix?: string } => (reason === null ? {} : { reason: reason.message, ...(reason.fix !== undefined && { fix: reason.fix }) });
const said = ({ reason, fix }: { readonly reason?: string; readonly fix?: string }): string => visibleLine([reason, fix].filter((part) => part !== undefined).join(' '));

function firstLine(text: string): string {
  const line = visibleLine(text.split('\n', 1)[0] ?? '');
  return line.length > SHOWN_CHARS ? `${line.slice(0, SHOWN_CHARS - 1)}…` : line;
}

/** `[{name, toolset, available, reason?, fix?, description, parameters}]`; `toolset` is the one it registered itself in. */
export function tools(context: CommandContext): Promise<ExitCode> {
  return context.withHost({}, async (host) => {
    const toolsets = await host.handle('toolsets.list', {}, CALLER);
    const byName = new Map(toolsets.toReversed().flatMap((toolset) => toolset.tools.map((tool) => [tool.name, {
      name: tool.name, toolset: tool.toolset ?? toolset.name, available: tool.available, ...(tool.available ? {} : reasonOf(toolset)),
      description: tool.description, parameters: tool.parameters,
    }] as const)));
    const list = [...byName.values()].sort((left, right) => (left.name < right.name ? -1 : 1));
    if (context.json) printJson(context.streams.stdout, list);
    else for (const tool of list) print(context.streams.stdout, `${mark(context, tool.available)} ${context.paint('bold', tool.name.padEnd(22))} ${context.paint('dim', tool.toolset.padEnd(16))} ${tool.reason === undefined ? firstLine(tool.description) : context.paint('yellow', said(tool))}`);
    return EXIT.done;
  });
}

/** `[{name, tools, enabled, available, reason?, fix?}]` */
export function toolsets(context: CommandContext): Promise<ExitCode> {
  return context.withHost({}, async (host) => {
    const list = (await host.handle('toolsets.list', {}, CALLER)).map((toolset) => ({
      name: toolset.name, tools: toolset.tools.map((tool) => tool.name), enabled: toolset.enabled, available: toolset.available, ...reasonOf(toolset),
    }));
    if (context.json) printJson(context.streams.stdout, list);
    else for (const toolset of list) print(context.streams.stdout, `${mark(context, toolset.available)} ${context.paint('bold', toolset.name.padEnd(20))} ${(toolset.enabled ? 'on' : 'off').padEnd(4)} ${toolset.reason === undefined ? toolset.tools.join(' ') : context.paint('yellow', said(toolset))}`);
    return EXIT.done;
  });
}

/** Chats, newest first; with a query the messages that match it. */
export function sessions(context: CommandContext, query: string | undefined): Promise<ExitCode> {
  const { streams, json, paint } = context;
  return context.withHost({}, async (host) => {
    if (query === undefined) {
      const list = await host.handle('sessions.list', {}, CALLER);
      if (json) printJson(streams.stdout, list);
      else for (const session of list) print(streams.stdout, `${session.id}  ${new Date(session.updatedAt).toISOString().slice(0, 16).replace('T', ' ')}  ${paint('bold', visibleLine(session.title))}  ${paint('dim', `${session.messageCount} messages`)}`);
      return EXIT.done;
    }
    const hits = await host.handle('sessions.search', { query }, CALLER);
    if (json) printJson(streams.stdout, hits);
    else for (const hit of hits) print(streams.stdout, `${hit.sessionId}  ${paint('bold', visibleLine(hit.sessionTitle))}\n  ${visibleLine(hit.snippet)}`);
    return EXIT.done;
  });
}

/** What works on this machine and how to mend the rest. Exit code 1 when something fails. */
export function doctor(context: CommandContext): Promise<ExitCode> {
  const { streams, json, paint } = context;
  return context.withHost({}, async (host) => {
    const lines = await host.handle('host.doctor', {}, CALLER);
    if (json) printJson(streams.stdout, lines);
    const marks = { ok: paint('green', '✓'), off: paint('dim', '–'), warn: paint('yellow', '!'), fail: paint('red', '✗') };
    if (!json) for (const line of lines) print(streams.stdout, `${marks[line.state]} ${paint('bold', visibleLine(line.name))}: ${visibleLine(line.message)}${line.fix === undefined ? '' : `\n    ${paint('dim', visibleLine(line.fix))}`}`);
    return lines.some((line) => line.state === 'fail') ? EXIT.failed : EXIT.done;
  });
}

const mark = ({ paint }: CommandContext, available: boolean): string => (available ? paint('green', '✓') : paint('red', '✗'));
