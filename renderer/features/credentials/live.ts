import { useEffect } from 'react';
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { CredentialRequest } from '../../../preload/contract/index.ts';
import { bridge } from '../../bridge.ts';
import { failureWords } from '../../ui/failure.ts';
import { toasts } from '../../ui/toasts.tsx';
import { noCredentials, withoutRequest, withRequest, withRequests, type CredentialsModel } from './model.ts';

const store = createStore<CredentialsModel>()(() => noCredentials);
let following = false;

function follow(): void {
  if (following) return;
  following = true;
  const read = (): void => {
    bridge.request('credentials.list', {}).then((open) => { store.setState(withRequests(open), true); }, (error: unknown) => {
      console.warn('the host could not be asked what it waits for; it is asked again when the connection is back', error);
    });
  };
  bridge.subscribe('credentials', (event) => {
    store.setState((model) => (event.type === 'asked' ? withRequest(model, event.request) : withoutRequest(model, event.id)), true);
  });
  bridge.onStatus((status) => { if (status === 'open') read(); });
}

export function useCredentials(): readonly CredentialRequest[] {
  useEffect(follow, []);
  return useStore(store, (model) => model.open);
}

/** Null = not given. The value goes to the host and is kept nowhere here. */
export async function answerCredential(request: CredentialRequest, value: string | null): Promise<void> {
  try {
    await bridge.request('credentials.answer', { id: request.id, value });
  } catch (error) {
    toasts.getState().show({ text: `Not sent: ${failureWords(error)}`, tone: 'danger' });
  } finally {
    store.setState((model) => withoutRequest(model, request.id), true);
  }
}
