/** `mcp`: the servers of config.yaml, signing in to them, and the switches of their tools. */
import type { McpServerInfo, McpToolInfo } from '../../../../preload/contract/mcp.ts';
import { CALLER, EXIT, type CommandContext, type ExitCode } from '../command.ts';
import { print, printJson } from '../streams.ts';
import { visibleLine, visibleProse } from '../visible.ts';

const MARKS = { offered: '✓', off: '–', held: '!' } as const;

/** With `--json`: the list as it crosses the contract. */
export function listServers(context: CommandContext): Promise<ExitCode> {
  return context.withHost({}, async (host) => {
    await host.handle('toolsets.list', {}, CALLER);
    const servers = await host.handle('mcp.list', {}, CALLER);
    if (context.json) printJson(context.streams.stdout, servers);
    else if (servers.length === 0) print(context.streams.stdout, 'No MCP server is set up. Name one under mcp_servers in config.yaml.');
    else for (const server of servers) print(context.streams.stdout, serverText(server, context));
    return EXIT.done;
  });
}

function serverText(server: McpServerInfo, { paint }: CommandContext): string {
  const words = server.state === 'connected' ? paint('green', 'connected') : server.state === 'off' ? 'off' : paint('yellow', server.state.replaceAll('-', ' '));
  const why = server.why === null ? [] : [`  ${visibleLine(server.why)}`];
  const fix = server.state === 'needs-sign-in' ? [`  Sign in with: talaria mcp login ${visibleLine(server.name)}`] : [];
  const unasked = server.unasked === null ? [] : [`  ${paint('yellow', `It wanted to ask, and was answered with cancel: ${visibleLine(server.unasked.why)}`)}`, `  ${paint('dim', '│')} ${visibleLine(server.unasked.message)}`];
  const problems = server.problems.map((problem) => `  ${paint('yellow', `! ${visibleLine(problem)}`)}`);
  const tail = server.state === 'failed' || server.state === 'parked' ? server.stderr.trimEnd().split('\n').slice(-5).filter((line) => line !== '').map((line) => `  ${paint('dim', '│')} ${visibleLine(line)}`) : [];
  return [`${paint('bold', visibleLine(server.name))}  ${words}  ${paint('dim', visibleLine(server.where))}`, ...why, ...fix, ...unasked, ...problems, ...tail, ...server.tools.flatMap((tool) => toolText(tool, paint))].join('\n');
}

function toolText({ name, state, difference, suspicious }: McpToolInfo, paint: CommandContext['paint']): string[] {
  const changed = difference.flatMap(({ part, before, after }) => [`      ${part} was: ${visibleLine(before)}`, `      ${part} is:  ${visibleLine(after)}`]);
  return [
    `  ${MARKS[state]} ${visibleLine(name)}${state === 'held' ? paint('yellow', '  held back: it has changed what it says of itself') : ''}`, ...changed,
    ...suspicious.map((sign) => `      ${paint('yellow', `its description ${sign}`)}`),
  ];
}

/** Opens the page in no browser: the command may run on another machine. Its address stands on stderr. */
export function login(context: CommandContext, server: string): Promise<ExitCode> {
  return context.withHost({}, async (host) => {
    const stop = new Promise<never>((_resolve, reject) => {
      context.signal.addEventListener('abort', () => reject(new Error('the sign-in was interrupted')), { once: true });
    });
    const servers = await Promise.race([host.handle('mcp.signIn', { server }, CALLER), stop]);
    const found = servers.find(({ name }) => name === server);
    if (context.json) printJson(context.streams.stdout, found);
    else print(context.streams.stdout, `${context.paint('green', '✓')} signed in to ${visibleLine(server)}${found?.state === 'connected' ? `; ${String(found.tools.length)} tool${found.tools.length === 1 ? '' : 's'}` : `, but it is ${found?.state ?? 'gone'}: ${visibleProse(found?.why ?? '')}`}`);
    return found?.state === 'connected' ? EXIT.done : EXIT.failed;
  });
}

export function logout(context: CommandContext, server: string): Promise<ExitCode> {
  return context.withHost({}, async (host) => {
    await host.handle('mcp.signOut', { server }, CALLER);
    if (context.json) printJson(context.streams.stdout, { signedOut: server });
    else print(context.streams.stdout, `The tokens of ${visibleLine(server)} are forgotten.`);
    return EXIT.done;
  });
}

/** `tool` is the server's own name for it. */
export function switchTool(context: CommandContext, server: string, tool: string, enabled: boolean): Promise<ExitCode> {
  return context.withHost({}, async (host) => {
    await host.handle('toolsets.list', {}, CALLER);
    await host.handle('mcp.setTool', { server, tool, enabled }, CALLER);
    if (context.json) printJson(context.streams.stdout, { server, tool, enabled });
    else print(context.streams.stdout, `${visibleLine(tool)} of ${visibleLine(server)} is ${enabled ? 'on' : 'off'}.`);
    return EXIT.done;
  });
}
