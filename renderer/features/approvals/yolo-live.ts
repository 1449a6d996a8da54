import { useEffect } from 'react';
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { SessionId } from '../../../preload/contract/ids.ts';
import type { YoloState } from '../../../preload/contract/index.ts';
import { bridge } from '../../bridge.ts';
import { failureWords } from '../../ui/failure.ts';
import { toasts } from '../../ui/toasts.tsx';
import { yoloIn } from './yolo.ts';
import type { YoloWhere } from './yolo.ts';

const store = createStore<YoloState>()(() => ({ process: false, sessions: [] }));
let following = false;

function follow(): void {
  if (following) return;
  following = true;
  const read = (): void => {
    bridge.request('approvals.yolo', {}).then((state) => { store.setState(state); }, (error: unknown) => {
      console.warn('the host could not be asked where approvals are switched off; it is asked again when the connection is back', error);
    });
  };
  bridge.subscribe('yolo', ({ process, sessions }) => { store.setState({ process, sessions }); });
  bridge.onStatus((status) => { if (status === 'open') read(); });
  read();
}

/** Whether approvals are switched off in this chat, and by what. */
export function useYolo(sessionId: SessionId | undefined): YoloWhere {
  useEffect(follow, []);
  return yoloIn(useStore(store), sessionId);
}

/** Resolves to whether it counted; a refusal is told. */
export async function setYolo(sessionId: SessionId, on: boolean): Promise<boolean> {
  try {
    store.setState(await bridge.request('approvals.setYolo', { sessionId, on }));
    return true;
  } catch (error) {
    toasts.getState().show({ text: `Not changed: ${failureWords(error)}`, tone: 'danger' });
    return false;
  }
}
