/** Keys of the panes: they work wherever the focus is in one, also while a program has all other keys. */

export type PaneAction = 'beside' | 'below' | 'next' | 'previous' | 'buttons' | 'select' | 'close';

interface PaneKey { readonly keys: string; readonly code: string; readonly action: PaneAction; readonly label: string }

/** With Mod and Shift, which terminals cannot tell from Mod alone: no program misses them. */
const PANE_KEYS: readonly PaneKey[] = [
  { keys: 'Mod+Shift+D', code: 'KeyD', action: 'beside', label: 'Split side by side' },
  { keys: 'Mod+Shift+E', code: 'KeyE', action: 'below', label: 'Split below' },
  { keys: 'Mod+Shift+→', code: 'ArrowRight', action: 'next', label: 'Go to the next pane' },
  { keys: 'Mod+Shift+←', code: 'ArrowLeft', action: 'previous', label: 'Go to the pane before' },
  { keys: 'Mod+Shift+M', code: 'KeyM', action: 'buttons', label: 'Leave the keys for the buttons above' },
  { keys: 'Mod+Shift+A', code: 'KeyA', action: 'select', label: 'Select what is in view' },
  { keys: 'Mod+Shift+X', code: 'KeyX', action: 'close', label: 'Close this pane' },
];

/** For the help, with the keys that the screen itself takes. */
export const TERMINAL_KEYS: readonly { readonly keys: string; readonly label: string }[] = [
  { keys: 'Mod+Shift+F', label: 'Search in this terminal' },
  { keys: 'Mod+Shift+C', label: 'Copy selection' },
  { keys: 'Mod+Shift+V', label: 'Paste, after a look at it' },
  ...PANE_KEYS.map(({ keys, label }) => ({ keys, label })),
  { keys: 'Mod+Shift+Esc', label: 'Leave the keys for the state below' },
];

export function paneAction(event: Pick<KeyboardEvent, 'code' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey'>): PaneAction | undefined {
  if (!(event.ctrlKey || event.metaKey) || !event.shiftKey || event.altKey) return undefined;
  return PANE_KEYS.find(({ code }) => code === event.code)?.action;
}

/** As `Kbd` takes them. */
export function keysOf(wanted: PaneAction): string {
  return PANE_KEYS.find(({ action }) => action === wanted)?.keys ?? '';
}

/** Moves the focus from one pane to another; with one only, it stays. */
export function focusPane(from: Element, step: 1 | -1): void {
  const views = [...document.querySelectorAll('[data-terminal]')];
  const at = views.findIndex((view) => view.contains(from));
  views.at((at + step + views.length) % views.length)?.querySelector<HTMLElement>('.xterm-helper-textarea')?.focus();
}
