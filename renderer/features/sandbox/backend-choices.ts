import type { BackendInfo } from '../../../preload/contract/index.ts';

export interface BackendChoice {
  readonly label: string;
  /** Why it cannot be used now, or that it is the one of new chats. */
  readonly hint?: string;
  readonly disabled: boolean;
  /** For `sessions.setBackend`: null follows the setting for all. */
  readonly value: string | null;
}

/** The rows of the menu, the usable ones first; the present one has a check mark. */
export function backendChoices(backends: readonly BackendInfo[], current: string): BackendChoice[] {
  const rows = backends.map(({ name, chosen, reason }) => ({
    label: `${name === current ? '✓ ' : ''}${name}`, disabled: reason !== null, value: chosen ? null : name,
    ...(reason === null ? chosen ? { hint: 'as set for new chats' } : {} : { hint: reason.message }),
  }));
  return [...rows.filter(({ disabled }) => !disabled), ...rows.filter(({ disabled }) => disabled)];
}
