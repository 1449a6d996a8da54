/** The keys of the window itself. Features have their own, for what is focused. */

export interface Shortcut {
  /** As for `Kbd`; also what the help shows. */
  readonly keys: string;
  readonly label: string;
  /** Works while typing in a field. Every shortcut with Mod or Alt does. */
  readonly run: () => void;
}

/** Keys that the help lists but features handle, where they are. */
export const ELSEWHERE: readonly Omit<Shortcut, 'run'>[] = [
  { keys: 'Enter', label: 'Send; queue while the agent works' },
  { keys: 'Mod+Enter', label: 'Steer: say it before the agent’s next step' },
  { keys: 'Shift+Enter', label: 'New line' },
  { keys: 'Esc', label: 'Stop what runs' },
  { keys: '↑', label: 'Earlier messages, in an empty composer' },
  { keys: '!', label: 'Begin a command for the chat’s terminal' },
  { keys: '/', label: 'Begin a command of the app' },
  { keys: 'Mod+G', label: 'Next place that was found; with Shift the one before' },
  { keys: 'F2', label: 'Rename the focused chat' },
  { keys: 'Del', label: 'Delete the focused chat' },
];

/** True when the event is these keys and no others. Letters and digits go by the key's place, so that Alt does not turn them into signs. */
export function matches(keys: string, event: Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>): boolean {
  const parts = keys.split('+');
  const name = parts.at(-1) ?? '';
  const wanted = new Set(parts.slice(0, -1));
  const mod = event.ctrlKey || event.metaKey;
  if (mod !== wanted.has('Mod') || event.altKey !== wanted.has('Alt')) return false;
  if (/^[A-Z]$/.test(name)) return event.shiftKey === wanted.has('Shift') && (event.code === `Key${name}` || event.key.toUpperCase() === name);
  if (/^[0-9]$/.test(name)) return event.shiftKey === wanted.has('Shift') && event.code === `Digit${name}`;
  return event.key === name && (!wanted.has('Shift') || event.shiftKey);
}

/** True when plain keys belong to what is focused. */
export function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.closest('input, textarea, select, [role="textbox"], .xterm') !== null);
}
