/** `plugins`: what is installed, and switching, installing and removing. */
import type { PluginInfo } from '../../../../preload/contract/index.ts';
import { homePaths } from '../../../config/paths.ts';
import { installPackage, removePackage, type NpmRun } from '../../../plugins/install.ts';
import { CALLER, EXIT, UsageError, type CommandContext, type ExitCode } from '../command.ts';
import type { CliHost } from '../host-port.ts';
import { print, printJson } from '../streams.ts';
import { visibleLine } from '../visible.ts';

const LOOK_MS = 200;
const ACTIONS = ['list', 'enable', 'disable', 'install', 'remove'] as const;

/** With `--json` the list as it is afterwards, of whatever was done. */
export function plugins(context: CommandContext, action: string, name: string | undefined): Promise<ExitCode> {
  const known = ACTIONS.find((each) => each === action);
  if (known === undefined || (known === 'list') !== (name === undefined)) throw new UsageError('plugins takes nothing, or: enable NAME, disable NAME, install PACKAGE, remove NAME');
  return context.withHost({}, async (host) => {
    const before = await host.handle('plugins.list', {}, CALLER);
    if (name !== undefined && known !== 'list') await act(context, host, known, name, before);
    const after = await settled(context, host);
    if (context.json) printJson(context.streams.stdout, after);
    else show(context, known === 'list' ? after : after.filter((each) => isAbout(each, name ?? '', before)));
    return EXIT.done;
  });
}

/** The list once each has loaded or failed: a plugin that hangs is given up after a while, and the reason is what a person wants to read. */
async function settled({ signal, streams }: CommandContext, host: CliHost): Promise<PluginInfo[]> {
  let told = false;
  for (;;) {
    const list = await host.handle('plugins.list', {}, CALLER);
    const loading = list.filter(({ state }) => state === 'loading').map(({ id }) => visibleLine(id));
    if (loading.length === 0 || signal.aborted) return list;
    if (!told) streams.stderr.write(`Waiting for ${loading.join(', ')}…\n`);
    told = true;
    await new Promise<void>((resolve) => { streams.clock.after(LOOK_MS, resolve); });
  }
}

async function act(context: CommandContext, host: CliHost, action: 'enable' | 'disable' | 'install' | 'remove', name: string, before: readonly PluginInfo[]): Promise<void> {
  const run: NpmRun = { home: homePaths().home, env: process.env, cwd: process.cwd(), signal: context.signal, say: (text) => { context.streams.stderr.write(text); } };
  if (action === 'enable' || action === 'disable') {
    await host.handle('plugins.set', { id: name, enabled: action === 'enable' }, CALLER);
    return;
  }
  if (action === 'install') {
    await installPackage(name, run);
    const found = (await host.handle('plugins.list', {}, CALLER)).filter(({ id }) => !before.some((each) => each.id === id));
    const words = found.length === 0 ? 'Nothing new is a plugin: a package needs the keyword hermes-plugin or an entry under "hermes_agent.plugins" in its package.json.'
      : `Nothing of it has run. Read it, then: ${found.map(({ id }) => `talaria plugins enable ${id}`).join('; ')}`;
    context.streams.stderr.write(`${words}\n`);
    return;
  }
  const plugin = before.find(({ id }) => id === name);
  if (plugin === undefined) throw new UsageError(`there is no plugin '${name}'`, 'See talaria plugins.');
  if (plugin.origin !== 'package') throw new UsageError(`'${name}' is a folder of yours`, `Delete ${plugin.folder} to remove it.`);
  await host.handle('plugins.set', { id: name, enabled: false }, CALLER);
  await removePackage(plugin.folder.slice(plugin.folder.lastIndexOf('node_modules/') + 'node_modules/'.length), run);
}

function isAbout({ id }: PluginInfo, name: string, before: readonly PluginInfo[]): boolean {
  return id === name || !before.some((each) => each.id === id);
}

function show({ paint, streams }: CommandContext, list: readonly PluginInfo[]): void {
  const marks = { loaded: paint('green', '✓'), off: paint('dim', '○'), loading: paint('yellow', '…'), failed: paint('red', '✗') };
  for (const plugin of list) {
    print(streams.stdout, `${marks[plugin.state]} ${paint('bold', visibleLine(plugin.id).padEnd(20))} ${visibleLine(plugin.version).padEnd(8)} ${plugin.state.padEnd(8)} ${paint('dim', visibleLine(plugin.description))}`);
    if (plugin.error !== null) print(streams.stdout, `    ${paint('yellow', visibleLine(plugin.error))}`);
    const parts = [['tools', plugin.tools], ['hooks', plugin.hooks], ['commands', plugin.commands.map((name) => `/${name}`)], ['names that others have', plugin.rejected]] as const;
    for (const [what, names] of parts) if (names.length > 0) print(streams.stdout, `    ${paint('dim', what)} ${names.map(visibleLine).join(' ')}`);
  }
}
