import type { StoreApi } from 'zustand/vanilla';
import type { Talaria } from '../../../preload/contract/index.ts';
import type { SessionId, TerminalId } from '../../../preload/contract/ids.ts';
import type { Terminal } from '../../../preload/contract/terminal.ts';
import { failureWords } from '../../ui/failure.ts';
import { rerunText, select, withFilter, withList, withNewest, withoutTerminal, withPane, withTerminal } from './model.ts';
import type { Direction, TerminalsModel } from './model.ts';

/** What a person does with terminals. All but `reload` reject when the host refuses. */
export interface TerminalActions {
  reload(): Promise<void>;
  open(size: { readonly cols: number; readonly rows: number }, sessionId: SessionId | undefined): Promise<Terminal>;
  /** Opens a shell next to the one that is shown, in its directory. */
  split(beside: Terminal, direction: Direction): Promise<Terminal>;
  drive(id: TerminalId, driver: 'agent' | 'user'): Promise<void>;
  kill(id: TerminalId, how: 'interrupt' | 'terminate' | 'kill'): Promise<void>;
  rename(id: TerminalId, title: string): Promise<void>;
  dismiss(id: TerminalId): Promise<void>;
  /** Types a secret into a program that waits for one; a person may, also while the agent drives. */
  sendSecret(id: TerminalId, secret: string): Promise<void>;
  /** Runs the command once more in its chat, through approvals; the person's own shell is opened anew. */
  rerun(terminal: Terminal): Promise<void>;
}

export function terminalActions(talaria: Pick<Talaria, 'request'>, store: StoreApi<TerminalsModel>): TerminalActions {
  const update = (change: (model: TerminalsModel) => TerminalsModel) => { store.setState(change, true); };
  const keep = (terminal: Terminal): Terminal => { update((model) => withTerminal(model, terminal)); return terminal; };

  async function open(size: { readonly cols: number; readonly rows: number }, sessionId: SessionId | undefined, cwd?: string): Promise<Terminal> {
    const terminal = await talaria.request('terminals.open', {
      cols: size.cols, rows: size.rows, ...(sessionId === undefined ? {} : { sessionId }), ...(cwd === undefined ? {} : { cwd }),
    });
    update((model) => withFilter(select(withTerminal(model, terminal), terminal.id), model.filter === 'own' ? 'own' : 'all'));
    return terminal;
  }

  return {
    async reload() {
      try {
        const terminals = await talaria.request('terminals.list', {});
        update((model) => withList(model, terminals));
      } catch (error) {
        update((model) => ({ ...model, status: 'failed', failure: failureWords(error) }));
      }
    },
    open: (size, sessionId) => open(size, sessionId),
    async split(beside, direction) {
      const terminal = await talaria.request('terminals.open', {
        cols: beside.cols, rows: beside.rows, ...(beside.sessionId === null ? {} : { sessionId: beside.sessionId }),
        /** A directory of another machine means nothing to the backend of a new shell. */
        ...(beside.backend === 'local' && beside.cwd !== '' ? { cwd: beside.cwd } : {}),
      });
      update((model) => withPane(withTerminal(model, terminal), terminal.id, direction));
      return terminal;
    },
    async drive(id, driver) { keep(await talaria.request('terminals.drive', { id, driver })); },
    async kill(id, how) { keep(await talaria.request('terminals.kill', { id, how })); },
    async rename(id, title) { keep(await talaria.request('terminals.rename', { id, title })); },
    async dismiss(id) {
      await talaria.request('terminals.dismiss', { id });
      update((model) => withoutTerminal(model, id));
    },
    async sendSecret(id, secret) { await talaria.request('terminals.write', { id, data: `${secret}\r` }); },
    async rerun(terminal) {
      if (terminal.kind === 'user') {
        await open({ cols: terminal.cols, rows: terminal.rows }, terminal.sessionId ?? undefined, terminal.cwd);
        return;
      }
      if (terminal.sessionId === null) throw new Error('Its chat is gone, so there is nothing to run it in.');
      await talaria.request('chat.send', { sessionId: terminal.sessionId, text: rerunText(terminal) });
    },
  };
}

/**
 * Keeps the store in step with the host for as long as the page lives. `mayFollow` says whether a command that starts now may take the
 * view. Returns what ends it.
 */
export function followTerminals(talaria: Talaria, store: StoreApi<TerminalsModel>, actions: Pick<TerminalActions, 'reload'>, mayFollow: () => boolean): () => void {
  const off = [
    talaria.subscribe('terminals', (event) => {
      store.setState((model) => {
        if (event.type !== 'changed') return withoutTerminal(model, event.id);
        const isNew = !model.byId.has(event.terminal.id);
        const known = withTerminal(model, event.terminal);
        return isNew && mayFollow() ? withNewest(known, event.terminal.id) : known;
      }, true);
    }),
    talaria.onStatus((status) => { if (status === 'open') void actions.reload(); }),
  ];
  void actions.reload();
  return () => { for (const end of off) end(); };
}
