/** Where one chat's commands run, and the wall around local ones: what they are, and menus to choose others. */
import { Shield, ShieldCheck } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { ChatSandbox, SandboxMode, Session } from '../../../preload/contract/index.ts';
import { bridge } from '../../bridge.ts';
import { classNames } from '../../ui/class-names.ts';
import { Menu } from '../../ui/menu.tsx';
import { showFailure } from '../../ui/show-failure.ts';
import { toasts } from '../../ui/toasts.tsx';
import { Tooltip } from '../../ui/tooltip.tsx';
import { BackendPicker } from './backend-picker.tsx';
import { sandboxHint, sandboxName } from './words.ts';

const MODES: readonly SandboxMode[] = ['off', 'workspace-write', 'read-only'];

export function PlacePicker({ session }: { readonly session: Session }) {
  return <><BackendPicker session={session} /><SandboxPicker session={session} /></>;
}

function SandboxPicker({ session }: { readonly session: Session }) {
  const [sandbox, setSandbox] = useState<ChatSandbox>();
  const local = session.backend === 'local';
  useEffect(() => {
    if (!local) return;
    let current = true;
    const read = (): void => { bridge.request('sandbox.get', { sessionId: session.id }).then((found) => { if (current) setSandbox(found); }, showFailure); };
    read();
    const off = bridge.subscribe('settings', read);
    return () => {
      current = false;
      off();
    };
  }, [local, session.id]);
  if (!local || sandbox === undefined) return null;

  const choose = (choice: { readonly mode: SandboxMode; readonly network: boolean } | null): void => {
    bridge.request('sandbox.set', { sessionId: session.id, sandbox: choice }).then((answer) => {
      setSandbox(answer);
      if (answer.mode !== 'off' && answer.problem !== undefined) toasts.getState().show({ text: answer.problem, tone: 'danger' });
    }, showFailure);
  };
  const on = sandbox.mode !== 'off';
  const words = sandboxName(sandbox.mode, sandbox.network);
  const items = [
    ...MODES.map((mode) => ({ label: `${sandbox.mode === mode ? '✓ ' : ''}${sandboxName(mode, true)}`, run: () => { choose({ mode, network: mode === 'off' ? true : sandbox.network }); } })),
    'separator' as const,
    { label: sandbox.network ? 'Take the network away' : 'Give the network back', disabled: !on, run: () => { choose({ mode: sandbox.mode, network: !sandbox.network }); } },
    { label: 'As set for all chats', disabled: !sandbox.own, run: () => { choose(null); } },
  ];
  const Icon = on ? ShieldCheck : Shield;
  return (
    <Tooltip text={sandboxHint(sandbox)}>
      <span className="inline-flex shrink-0">
        <Menu items={items}>
          <button type="button" aria-label={`Sandbox of this chat: ${words}. Change`} className={classNames('flex h-6 items-center gap-1 rounded-md px-1.5 text-xs hover:bg-hover', on ? 'text-ok' : 'text-muted hover:text-ink')}>
            <Icon size={13} aria-hidden className="shrink-0" />
            {on ? <span className="hidden lg:inline">{words}</span> : null}
          </button>
        </Menu>
      </span>
    </Tooltip>
  );
}
