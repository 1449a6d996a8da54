/** The model connection, the servers found on this machine, and the models each of them offers. */
import { createStore } from 'zustand/vanilla';
import type { StoreApi } from 'zustand/vanilla';
import type { ErrorShape, FoundServer, ModelConnection, ModelTestStep, RequestInput, SessionId, Talaria } from '../../../preload/contract/index.ts';
import { toErrorShape } from '../../bridge.ts';

export type Connection = RequestInput<'models.save'>;

export type Loadable<Value> =
  | { readonly kind: 'loading' }
  | { readonly kind: 'ready'; readonly value: Value }
  | { readonly kind: 'failed'; readonly error: ErrorShape };

export interface Models {
  /** Null: no model is connected. */
  readonly current: Loadable<ModelConnection | null>;
  readonly found: Loadable<readonly FoundServer[]> | undefined;
  /** What the connected server offers, for the pickers. */
  readonly offered: Loadable<readonly string[]> | undefined;
}

export interface ModelsFeature {
  readonly store: StoreApi<Models>;
  /** Looks for model servers on loopback. */
  discover(): void;
  /** Asks the connected server for its models, once until something changes. */
  loadOffered(): void;
  list(baseUrl: string, key: string | undefined): Promise<readonly string[]>;
  test(connection: Connection): Promise<readonly ModelTestStep[]>;
  save(connection: Connection): Promise<ModelConnection>;
  pickForSession(sessionId: SessionId, model: string | null): Promise<void>;
  close(): void;
}

export function createModels(bridge: Talaria): ModelsFeature {
  const store = createStore<Models>()(() => ({ current: { kind: 'loading' }, found: undefined, offered: undefined }));
  const reload = (): void => {
    settle(bridge.request('models.current', {}), (current) => { store.setState({ current, offered: undefined }); });
  };
  const offs = [
    bridge.subscribe('models', reload),
    bridge.onStatus((status) => { if (status === 'open') reload(); }),
  ];
  return {
    store,
    discover() {
      store.setState({ found: { kind: 'loading' } });
      settle(bridge.request('models.discover', {}), (found) => { store.setState({ found }); });
    },
    loadOffered() {
      const { current, offered } = store.getState();
      if (offered !== undefined || current.kind !== 'ready' || current.value === null) return;
      store.setState({ offered: { kind: 'loading' } });
      settle(bridge.request('models.list', { baseUrl: current.value.baseUrl }), (next) => { store.setState({ offered: next }); });
    },
    list: (baseUrl, key) => bridge.request('models.list', { baseUrl, ...(key === undefined ? {} : { key }) }),
    test: (connection) => bridge.request('models.test', connection),
    async save(connection) {
      const saved = await bridge.request('models.save', connection);
      store.setState({ current: { kind: 'ready', value: saved }, offered: undefined });
      return saved;
    },
    async pickForSession(sessionId, model) { await bridge.request('sessions.setModel', { sessionId, model }); },
    close() { for (const off of offs) off(); },
  };
}

function settle<Value>(promise: Promise<Value>, set: (state: Loadable<Value>) => void): void {
  promise.then(
    (value) => { set({ kind: 'ready', value }); },
    (error: unknown) => { set({ kind: 'failed', error: toErrorShape(error) }); },
  );
}
