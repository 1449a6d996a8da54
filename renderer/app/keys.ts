import { useEffect } from 'react';
import type { AppCommand } from './commands.ts';
import type { Navigation } from './navigation.ts';
import type { Services } from './services.ts';
import { isTyping, matches } from './shortcuts.ts';

/** Chats that a digit reaches. */
const NUMBERED = 9;

/** Listens for the window's own shortcuts. A key that a feature has taken (`preventDefault`) is not looked at. */
export function useWindowKeys(commands: readonly AppCommand[], navigation: Navigation, services: Services): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.isComposing) return;
      const run = actionFor(event, commands, navigation, services);
      if (run === undefined) return;
      event.preventDefault();
      run();
    };
    addEventListener('keydown', onKeyDown);
    return () => { removeEventListener('keydown', onKeyDown); };
  }, [commands, navigation, services]);
}

function actionFor(event: KeyboardEvent, commands: readonly AppCommand[], navigation: Navigation, { layout, sessions }: Services): (() => void) | undefined {
  const typing = isTyping(event.target);
  const command = commands.find(({ keys, takesKeys }) => keys !== undefined && matches(keys, event) && !(typing && !keys.includes('+')) && (takesKeys?.(event.target) ?? true));
  if (command !== undefined) return command.run;
  const digit = Array.from({ length: NUMBERED }, (_, index) => index + 1).find((number) => matches(`Alt+${number}`, event));
  const numbered = digit === undefined ? undefined : sessions.store.getState().order[digit - 1];
  if (numbered !== undefined) return () => { navigation.openSession(numbered); };
  if (event.key === 'F6') return () => { nextPane(event.shiftKey ? -1 : 1); };
  const { route, narrow, listOpen, dockOpen, overlay } = layout.getState();
  if (event.key !== 'Escape' || overlay !== undefined || typing) return undefined;
  if (route.kind === 'settings') return () => { navigation.closeSettings(); };
  if (narrow && listOpen) return () => { navigation.toggleList(); };
  return narrow && dockOpen ? () => { navigation.toggleDock(); } : undefined;
}

/** Moves the focus to the next part of the window: chats, chat, side panel. */
function nextPane(step: 1 | -1): void {
  const panes = [...document.querySelectorAll<HTMLElement>('[data-pane]')];
  const at = panes.findIndex((pane) => pane.contains(document.activeElement));
  const pane = panes.at((at + step + panes.length) % panes.length);
  if (pane !== undefined) focusPane(pane);
}

/** What of a pane takes the focus, best first. */
const ENTRANCES = ['textarea', '[aria-current="page"]', '[role="tab"][aria-selected="true"]', 'button, input'];

export function focusPane(pane: Element): void {
  for (const selector of ENTRANCES) {
    const entrance = pane.querySelector<HTMLElement>(selector);
    if (entrance === null) continue;
    entrance.focus();
    return;
  }
}
