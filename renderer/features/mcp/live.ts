import { useEffect } from 'react';
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { McpServerInfo } from '../../../preload/contract/mcp.ts';
import { bridge } from '../../bridge.ts';
import { failureWords } from '../../ui/failure.ts';
import { toasts } from '../../ui/toasts.tsx';

interface ServersModel {
  readonly servers: readonly McpServerInfo[] | undefined;
  readonly failure: string | undefined;
  /** `server action` of what is on its way. */
  readonly busy: ReadonlySet<string>;
}

const store = createStore<ServersModel>()(() => ({ servers: undefined, failure: undefined, busy: new Set() }));

export async function reloadServers(): Promise<void> {
  try {
    store.setState({ servers: await bridge.request('mcp.list', {}), failure: undefined });
  } catch (error) {
    store.setState({ failure: failureWords(error) });
  }
}

async function act(key: string, words: string, work: () => Promise<readonly McpServerInfo[]>): Promise<void> {
  const withBusy = (on: boolean): void => {
    store.setState(({ busy }) => {
      const next = new Set(busy);
      if (on) next.add(key); else next.delete(key);
      return { busy: next };
    });
  };
  withBusy(true);
  try {
    store.setState({ servers: await work() });
  } catch (error) {
    toasts.getState().show({ text: `${words}: ${failureWords(error)}`, tone: 'danger' });
    await reloadServers();
  } finally {
    withBusy(false);
  }
}

/** Each tells its failure by itself and never rejects. */
export const servers = {
  signIn: (server: string) => act(`${server} sign-in`, `Not signed in to ${server}`, () => bridge.request('mcp.signIn', { server })),
  signOut: (server: string) => act(`${server} sign-out`, `Not signed out of ${server}`, () => bridge.request('mcp.signOut', { server })),
  restart: (server: string) => act(`${server} restart`, `${server} was not restarted`, () => bridge.request('mcp.restart', { server })),
  setTool: (server: string, tool: string, enabled: boolean) => act(`${server} tool ${tool}`, `${tool} was not switched`, () => bridge.request('mcp.setTool', { server, tool, enabled })),
  accept: (server: string) => act(`${server} accept`, `The changes of ${server} were not accepted`, async () => {
    await bridge.request('toolsets.trust', { name: `mcp-${server}` });
    return bridge.request('mcp.list', {});
  }),
};

export function useServers<T>(select: (model: ServersModel) => T): T {
  return useStore(store, select);
}

/** Keeps the list in step while it is looked at. */
export function useFollowServers(): void {
  useEffect(() => {
    void reloadServers();
    const off = [
      bridge.subscribe('toolsets', () => { void reloadServers(); }),
      bridge.onStatus((status) => { if (status === 'open') void reloadServers(); }),
    ];
    return () => { for (const end of off) end(); };
  }, []);
}
