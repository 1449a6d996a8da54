/** Asks before the app ends while something runs that ends with it. */
import { app, dialog } from 'electron';
import type { ProcessInfo, Session, Terminal } from '../../../preload/contract/index.ts';
import type { BridgeHost } from '../../bridge/host.ts';

const CALLER = { via: 'desktop', client: 'quit' } as const;
/** More names make the question longer than the screen. */
const NAMED = 8;

/** Names of what would end with the app: commands and background processes, chats at work, and shells in which a program runs. */
export function endsWithTheApp(terminals: readonly Terminal[], processes: readonly Pick<ProcessInfo, 'terminalId'>[], sessions: readonly Pick<Session, 'title' | 'status'>[]): string[] {
  const count = Map.groupBy(processes, ({ terminalId }) => terminalId);
  const running = terminals.filter(({ id, kind, state }) => state === 'running' && (kind !== 'user' || (count.get(id)?.length ?? 0) > 1));
  return [...running.map(({ title }) => title), ...sessions.filter(({ status }) => status === 'running').map(({ title }) => `the chat "${title}"`)];
}

/** From now on a quit asks first; `onStay` is called when the person would rather not. */
export function askBeforeQuit(host: Pick<BridgeHost, 'handle' | 'log'>, onStay: () => void): void {
  let sure = false;
  let asking = false;
  app.on('before-quit', (event) => {
    if (sure) return;
    event.preventDefault();
    if (asking) return;
    asking = true;
    mayQuit(host).catch((error: unknown) => {
      host.log.warn('what runs could not be asked for; the app ends', { error });
      return true;
    }).then((yes) => {
      asking = false;
      sure = yes;
      if (yes) app.quit();
      else onStay();
    }, (error: unknown) => { host.log.error('the app could not end', { error }); });
  });
}

async function mayQuit(host: Pick<BridgeHost, 'handle'>): Promise<boolean> {
  const [terminals, processes, sessions] = await Promise.all([host.handle('terminals.list', {}, CALLER), host.handle('processes.list', {}, CALLER), host.handle('sessions.list', {}, CALLER)]);
  const names = endsWithTheApp(terminals, processes, sessions);
  if (names.length === 0) return true;
  const more = names.length > NAMED ? [`and ${names.length - NAMED} more`] : [];
  const { response } = await dialog.showMessageBox({
    type: 'warning', message: names.length === 1 ? 'Something is still running' : `${names.length} things are still running`, detail: [...names.slice(0, NAMED), ...more].join('\n'),
    buttons: ['Quit and stop them', 'Cancel'], defaultId: 1, cancelId: 1, noLink: true,
  });
  return response === 0;
}
