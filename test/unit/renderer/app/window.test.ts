import { describe, expect, test } from 'vitest';
import { loadKept, withDock, withList, withNarrow, withRoute } from '../../../../renderer/app/layout.ts';
import type { Layout } from '../../../../renderer/app/layout.ts';
import { formatRoute, parseRoute } from '../../../../renderer/app/route.ts';
import type { Route } from '../../../../renderer/app/route.ts';
import { matches } from '../../../../renderer/app/shortcuts.ts';
import { messageId, sessionId } from '../../../support/renderer/records.ts';

const wide: Layout = { route: { kind: 'new' }, listOpen: true, dockOpen: true, dockTab: 'terminals', narrow: false, whenWide: { listOpen: true, dockOpen: true }, overlay: undefined, target: undefined };

describe('the address of the window', () => {
  test.each<Route>([
    { kind: 'start' }, { kind: 'new' }, { kind: 'chat', sessionId: sessionId('ses_abc') }, { kind: 'settings', sectionId: undefined }, { kind: 'settings', sectionId: 'allow list' },
  ])('comes back as it was written: %j', (route) => {
    expect(parseRoute(formatRoute(route))).toEqual(route);
  });

  test('is the start when it is not one of ours', () => {
    expect(['', '#', '#/elsewhere', '#/chat/'].map((hash) => parseRoute(hash).kind)).toEqual(['start', 'start', 'start', 'start']);
  });
});

describe('the layout', () => {
  test('puts both side panels away when the window gets narrow, and what was open back when it gets wide', () => {
    const narrow = withNarrow({ ...wide, dockOpen: false }, true);
    expect([narrow.listOpen, narrow.dockOpen]).toEqual([false, false]);
    const again = withNarrow(withDock(narrow, true), false);
    expect([again.listOpen, again.dockOpen]).toEqual([true, false]);
    expect(withNarrow(wide, false)).toBe(wide);
  });

  test('shows one side panel at a time in a narrow window', () => {
    const list = withList(withNarrow(wide, true), true);
    const dock = withDock(list, true, 'approvals');
    expect([dock.listOpen, dock.dockOpen, dock.dockTab]).toEqual([false, true, 'approvals']);
    expect(withList(dock, true).dockOpen).toBe(false);
    expect(withDock(wide, true).listOpen).toBe(true);
  });

  test('closes overlays when another page is opened', () => {
    const there = withRoute({ ...wide, overlay: 'palette' }, { kind: 'chat', sessionId: sessionId('one') }, messageId(4));
    expect([there.overlay, there.target, there.listOpen]).toEqual([undefined, messageId(4), true]);
    expect(withRoute({ ...wide, narrow: true }, { kind: 'new' }).listOpen).toBe(false);
  });

  test('remembers the last window and survives nonsense in the storage', () => {
    expect(loadKept('{"listOpen":false,"dockOpen":false,"dockTab":"toolsets"}')).toEqual({ listOpen: false, dockOpen: false, dockTab: 'toolsets' });
    const first = { listOpen: true, dockOpen: true, dockTab: 'terminals' };
    expect([null, '', '{', '7', '{"listOpen":"yes","dockTab":"nowhere"}'].map(loadKept)).toEqual([first, first, first, first, first]);
  });
});

describe('a shortcut', () => {
  const press = (key: string, code: string, held: readonly ('ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey')[] = []) =>
    ({ key, code, ctrlKey: held.includes('ctrlKey'), metaKey: held.includes('metaKey'), altKey: held.includes('altKey'), shiftKey: held.includes('shiftKey') });

  test.each([
    ['Mod+K', press('k', 'KeyK', ['ctrlKey']), true],
    ['Mod+K', press('k', 'KeyK', ['metaKey']), true],
    ['Mod+K', press('k', 'KeyK'), false],
    ['Mod+K', press('K', 'KeyK', ['ctrlKey', 'shiftKey']), false],
    ['Mod+Shift+O', press('O', 'KeyO', ['ctrlKey', 'shiftKey']), true],
    ['Alt+Shift+A', press('Å', 'KeyA', ['altKey', 'shiftKey']), true],
    ['Alt+3', press('3', 'Digit3', ['altKey']), true],
    ['Alt+3', press('3', 'Digit3', ['altKey', 'ctrlKey']), false],
    ['Mod+,', press(',', 'Comma', ['ctrlKey']), true],
    ['?', press('?', 'Slash', ['shiftKey']), true],
    ['?', press('?', 'Slash', ['shiftKey', 'ctrlKey']), false],
  ])('%s', (keys, event, meant) => {
    expect(matches(keys, event)).toBe(meant);
  });
});
