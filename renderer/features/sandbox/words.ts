/** How sandboxes are spoken of. */
import type { ChatSandbox, SandboxMode } from '../../../preload/contract/index.ts';

const NAMES: Record<SandboxMode, string> = { off: 'No sandbox', 'workspace-write': 'Writes only in its folder', 'read-only': 'Read-only' };

export function sandboxName(mode: SandboxMode, network: boolean): string {
  return mode === 'off' || network ? NAMES[mode] : `${NAMES[mode]}, no network`;
}

export function sandboxHint({ mode, network, own, problem }: ChatSandbox): string {
  const from = own ? 'chosen for this chat' : 'as set for all chats';
  const what = mode === 'off' ? 'Commands of this chat may write wherever you may' : `${sandboxName(mode, network)}: a wall around the commands and file tools of this chat. You are asked as before`;
  return `${what} (${from}).${mode !== 'off' && problem !== undefined ? ` ${problem}` : ''}`;
}
