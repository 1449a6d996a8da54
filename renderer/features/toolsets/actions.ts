import type { StoreApi } from 'zustand/vanilla';
import type { Talaria } from '../../../preload/contract/index.ts';
import type { SessionId } from '../../../preload/contract/ids.ts';
import type { ToolsetInfo } from '../../../preload/contract/settings.ts';
import { failureWords } from '../../ui/failure.ts';
import { withList, withPending, withSession, withSwitch } from './model.ts';
import type { Scope, ToolsetsModel } from './model.ts';

export interface ToolsetActions {
  /** Shows the toolsets of this chat; undefined = the defaults alone. */
  show(sessionId: SessionId | undefined): Promise<void>;
  reload(): Promise<void>;
  /** Rejects when the host refused; the switch is then drawn as the host has it. Changes of one switch are sent one after the other. */
  set(name: string, scope: Scope, enabled: boolean | null): Promise<void>;
  /** What stands under this name may run from now on, as it is. Rejects when the host refused. */
  trust(name: string): Promise<void>;
  /** Rejects when the host refused. */
  check(): Promise<void>;
}

export function toolsetActions(talaria: Pick<Talaria, 'request'>, store: StoreApi<ToolsetsModel>): ToolsetActions {
  const update = (change: (model: ToolsetsModel) => ToolsetsModel) => { store.setState(change, true); };
  const ofChat = (sessionId: SessionId | undefined) => (sessionId === undefined ? {} : { sessionId });
  /** Answers may overtake each other; only the one asked last counts. */
  let asked = 0;

  async function ask(request: (sessionId: SessionId | undefined) => Promise<ToolsetInfo[]>): Promise<void> {
    asked += 1;
    const mine = asked;
    const { sessionId } = store.getState();
    const list = await request(sessionId);
    if (mine === asked) update((model) => withList(model, sessionId, list));
  }

  async function reload(): Promise<void> {
    try {
      await ask((sessionId) => talaria.request('toolsets.list', ofChat(sessionId)));
    } catch (error) {
      update((model) => ({ ...model, status: 'failed', failure: failureWords(error) }));
    }
  }

  /** The last change of a switch that is on its way; the next one of the same switch waits for it. */
  const sending = new Map<string, Promise<void>>();

  async function send(name: string, scope: Scope, enabled: boolean | null): Promise<void> {
    try {
      if (scope === 'chat') {
        await ask((sessionId) => talaria.request('toolsets.set', { name, enabled, ...ofChat(sessionId) }));
      } else {
        /** The answer to a default is the list without a chat; this chat's own is asked for. */
        await talaria.request('toolsets.set', { name, enabled });
        await reload();
      }
    } catch (error) {
      await reload();
      throw error;
    }
  }

  return {
    reload,
    async show(sessionId) {
      update((model) => withSession(model, sessionId));
      await reload();
    },
    async set(name, scope, enabled) {
      update((model) => withPending(withSwitch(model, name, scope, enabled), name, true));
      const last = sending.get(name);
      const mine = (last ?? Promise.resolve()).then(() => send(name, scope, enabled));
      const settled = mine.then(() => undefined, () => undefined);
      sending.set(name, settled);
      try {
        await mine;
      } finally {
        if (sending.get(name) === settled) {
          sending.delete(name);
          update((model) => withPending(model, name, false));
        }
      }
    },
    async trust(name) {
      update((model) => withPending(model, name, true));
      try {
        /** The answer is the list without a chat; this chat's own is asked for. */
        await talaria.request('toolsets.trust', { name });
        await reload();
      } finally {
        update((model) => withPending(model, name, false));
      }
    },
    async check() {
      update((model) => ({ ...model, checking: true }));
      try {
        await ask((sessionId) => talaria.request('toolsets.check', ofChat(sessionId)));
      } finally {
        update((model) => ({ ...model, checking: false }));
      }
    },
  };
}
