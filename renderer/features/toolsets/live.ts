import { useEffect } from 'react';
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { SessionId } from '../../../preload/contract/ids.ts';
import { bridge } from '../../bridge.ts';
import { toolsetActions } from './actions.ts';
import { emptyToolsets } from './model.ts';
import type { ToolsetsModel } from './model.ts';

export const toolsetsStore = createStore<ToolsetsModel>()(() => emptyToolsets);
export const toolsets = toolsetActions(bridge, toolsetsStore);

/** Keeps the panel in step with one chat while it is mounted. */
export function useToolsets<T>(select: (model: ToolsetsModel) => T): T {
  return useStore(toolsetsStore, select);
}

export function useFollowToolsets(sessionId: SessionId | undefined): void {
  useEffect(() => { void toolsets.show(sessionId); }, [sessionId]);
  useEffect(() => {
    const off = [
      bridge.subscribe('toolsets', () => { void toolsets.reload(); }),
      bridge.onStatus((status) => { if (status === 'open') void toolsets.reload(); }),
    ];
    return () => { for (const end of off) end(); };
  }, []);
}
