/** Where one chat's commands run, in its title row: a menu of every backend, with what keeps one from being used. */
import { Server } from 'lucide-react';
import { useState } from 'react';
import type { BackendInfo, Session } from '../../../preload/contract/index.ts';
import { bridge } from '../../bridge.ts';
import { failureWords } from '../../ui/failure.ts';
import { useFrame } from '../../ui/frame.tsx';
import { Menu } from '../../ui/menu.tsx';
import type { MenuItem } from '../../ui/menu.tsx';
import { showFailure } from '../../ui/show-failure.ts';
import { Tooltip } from '../../ui/tooltip.tsx';
import { backendChoices } from './backend-choices.ts';

type Looked = { readonly kind: 'looking' } | { readonly kind: 'found'; readonly backends: readonly BackendInfo[] } | { readonly kind: 'failed'; readonly words: string };

export function BackendPicker({ session }: { readonly session: Session }) {
  const frame = useFrame();
  const [looked, setLooked] = useState<Looked>({ kind: 'looking' });
  const look = (open: boolean): void => {
    if (!open) return;
    bridge.request('host.backends', {}).then((backends) => { setLooked({ kind: 'found', backends }); }, (error: unknown) => { setLooked({ kind: 'failed', words: failureWords(error) }); });
  };
  const choose = (backend: string | null): void => { bridge.request('sessions.setBackend', { sessionId: session.id, backend }).catch(showFailure); };
  const items: (MenuItem | 'separator')[] = [
    ...(looked.kind === 'found'
      ? backendChoices(looked.backends, session.backend).map(({ label, hint, disabled, value }) => ({ label, ...(hint === undefined ? {} : { hint }), disabled, run: () => { choose(value); } }))
      : [{ label: looked.kind === 'looking' ? 'Looking at what could be used…' : looked.words, disabled: true, run: () => undefined }]),
    'separator',
    { label: 'Set up backends…', run: () => { frame.openSettings('terminals'); } },
  ];
  return (
    <Tooltip text={`Commands of this chat run on ${session.backend}. Click to change.`}>
      <span className="inline-flex shrink-0">
        <Menu items={items} onOpenChange={look}>
          <button type="button" aria-label={`Backend of this chat: ${session.backend}. Change`} className="flex h-6 items-center gap-1 rounded-md px-1.5 text-xs text-muted hover:bg-hover hover:text-ink">
            <Server size={13} aria-hidden className="shrink-0" />
            {session.backend}
          </button>
        </Menu>
      </span>
    </Tooltip>
  );
}
