import { describe, expect, test } from 'vitest';
import { createStore } from 'zustand/vanilla';
import { SessionId, type TerminalId } from '../../../../preload/contract/ids.ts';
import type { ProcessInfo } from '../../../../preload/contract/terminal.ts';
import {
  emptyTerminals, endTone, endWords, filtered, inOrder, ownerWord, rerunText, runningCount, select, takesKeys, wheelOf, withList, withNewest, withoutPane, withoutTerminal, withPane, withTerminal,
} from '../../../../renderer/features/terminals/model.ts';
import { keepArrangement, keptArrangement, readArrangement } from '../../../../renderer/features/terminals/kept.ts';
import type { TerminalsModel } from '../../../../renderer/features/terminals/model.ts';
import { asOneLine, checkPaste, needsLook, withoutHidden } from '../../../../renderer/features/terminals/paste.ts';
import { processTree } from '../../../../renderer/features/terminals/process-tree.ts';
import { terminal, terminalId } from './fixtures.ts';

const old = terminal('old', { startedAt: 1 });
const recent = terminal('recent', { startedAt: 2 });
const ended = terminal('ended', { startedAt: 3, state: 'exited', exitCode: 0 });

describe('the list', () => {
  test('has running ones first, each group newest first', () => {
    expect(inOrder(withList(emptyTerminals, [ended, old, recent])).map((found) => found.title)).toEqual(['recent', 'old', 'ended']);
  });

  test('a new terminal does not take the view away from the one that is looked at', () => {
    const model = select(withList(emptyTerminals, [old]), old.id);
    expect(withTerminal(model, recent).selected).toBe(old.id);
  });

  test('a selection that is gone gives way to the newest', () => {
    const model = select(withList(emptyTerminals, [old, recent, ended]), old.id);
    expect(withoutTerminal(model, old.id).selected).toBe(recent.id);
    expect(withoutTerminal(withList(emptyTerminals, [old]), old.id).selected).toBeUndefined();
  });

  test('counts what runs', () => {
    expect(runningCount(withList(emptyTerminals, [old, recent, ended]))).toBe(2);
  });

  test('filters by chat, by background and by owner', () => {
    const own = terminal('own', { kind: 'user' });
    const server = terminal('server', { kind: 'background', sessionId: 'ses_000000000002' });
    const all = [old, own, server];
    expect(filtered(all, 'chat', SessionId.parse('ses_000000000001'))).toEqual([old]);
    expect(filtered(all, 'background', undefined)).toEqual([server]);
    expect(filtered(all, 'own', undefined)).toEqual([own]);
    expect(filtered(all, 'all', undefined)).toBe(all);
  });
});

describe('who has the wheel', () => {
  test.each([
    ['agent', {}, false], ['you', { driver: 'user' as const }, true], ['own', { kind: 'user' as const, driver: 'user' as const }, true],
    ['no-input', { readOnly: true }, false], ['waiting', { secretInput: true }, false], ['waiting', { secretInput: true, driver: 'user' as const }, true],
    ['ended', { state: 'exited' as const, driver: 'user' as const }, false],
  ])('%s', (wheel, change, keys) => {
    expect(wheelOf(terminal('t', change))).toBe(wheel);
    expect(takesKeys(terminal('t', change))).toBe(keys);
  });
});

test.each([
  [{ state: 'exited' as const, exitCode: 0 }, 'Finished', 'ok'],
  [{ state: 'exited' as const, exitCode: 2 }, 'Failed with exit code 2', 'failed'],
  [{ state: 'exited' as const, signal: 'SIGTERM' }, 'Ended by SIGTERM', 'failed'],
  [{ state: 'exited' as const, signal: 'SIGKILL', ended: 'killed by signal 9, probably out of memory' }, 'Killed by signal 9, probably out of memory', 'failed'],
  [{ state: 'lost' as const }, 'Lost: it could not be followed over a restart', 'lost'],
  [{ state: 'exited' as const }, 'Ended, with no exit code', 'failed'],
])('the end %j reads "%s"', (change, words, tone) => {
  expect(endWords(terminal('t', change))).toBe(words);
  expect(endTone(terminal('t', change))).toBe(tone);
});

test('running again goes through the chat: a command as it was, a background process as one', () => {
  expect(rerunText({ kind: 'foreground', command: 'make "all"' })).toBe('!make "all"');
  expect(rerunText({ kind: 'background', command: 'npm start' })).toBe('/tool terminal {"command":"npm start","background":true}');
});

test('what was stopped is no failure; whose it is stands in a word', () => {
  const stopped = terminal('a', { state: 'exited', exitCode: 130, stopped: true, ended: 'exit code 130' });
  expect([endTone(stopped), endWords(stopped)]).toEqual(['stopped', 'Stopped']);
  expect(endTone(terminal('b', { state: 'exited', exitCode: 1 }))).toBe('failed');
  expect([terminal('a'), terminal('b', { startedBy: 'user' }), terminal('c', { kind: 'background' }), terminal('d', { kind: 'user' })].map(ownerWord)).toEqual(['agent', 'you', 'background', 'yours']);
});

describe('a paste', () => {
  test('of one plain line goes straight in', () => {
    expect(needsLook(checkPaste('git status'))).toBe(false);
  });

  test('of several lines, or one that ends in Enter, is looked at first', () => {
    expect(checkPaste('a\r\nb\rc')).toMatchObject({ text: 'a\nb\nc', lines: 3 });
    expect(needsLook(checkPaste('a\nb'))).toBe(true);
    expect(needsLook(checkPaste('rm -rf /\n'))).toBe(true);
  });

  test('cannot end a bracketed paste: escape and other controls are taken out', () => {
    const check = checkPaste('ls\u001b[201~\u009b201~\u0003');
    expect(check.text).toBe('ls[201~201~');
    expect(check).toMatchObject({ stripped: true });
    expect(needsLook(check)).toBe(true);
  });

  test('with characters that cannot be seen can be pasted without them', () => {
    const check = checkPaste('ls\u202e\u200b -l');
    expect(check.hidden).toBe(true);
    expect(withoutHidden(check.text)).toBe('ls -l');
  });

  test('as one line runs nothing by itself', () => {
    expect(asOneLine('cd /tmp\n  ls\n\n')).toBe('cd /tmp ls');
  });
});

describe('the process tree', () => {
  const process = (pid: number, ppid: number): ProcessInfo => ({ pid, ppid, command: 'x', terminalId: terminalId('t'), cpuPercent: 0, memoryBytes: 0, startedAt: null, ports: [] });

  test('has parents before children, and a process without a known parent is a root', () => {
    expect(processTree([process(30, 10), process(10, 1), process(20, 10), process(40, 20)]).map((row) => [row.process.pid, row.depth])).toEqual([[10, 0], [20, 1], [40, 2], [30, 1]]);
  });

  test('survives a ring of parents and lists each process once', () => {
    expect(processTree([process(1, 2), process(2, 1), process(3, 3)]).map((row) => row.process.pid).sort()).toEqual([1, 2, 3]);
  });
});

describe('terminals next to each other', () => {
  const three = withList(emptyTerminals, [terminal('a', { startedAt: 1 }), terminal('b', { startedAt: 2 }), terminal('c', { startedAt: 3 })]);
  const [a, b, c] = ['a', 'b', 'c'].map(terminalId) as [TerminalId, TerminalId, TerminalId]; // three names, three ids

  test('one is shown once: picking one that has a pane changes places with it', () => {
    const split = withPane(select(three, a), b, 'beside');
    expect([split.selected, split.panes, split.direction]).toEqual([a, [b], 'beside']);
    const swapped = select(split, b);
    expect([swapped.selected, swapped.panes]).toEqual([b, [a]]);
    expect(withPane(split, b, 'beside').panes).toEqual([b]);
  });

  test('closing a pane, or losing its terminal, leaves the others', () => {
    const split = withPane(withPane(select(three, a), b, 'below'), c, 'below');
    expect(withoutPane(split, b).panes).toEqual([c]);
    expect([withoutPane(split, a).selected, withoutPane(split, a).panes]).toEqual([b, [c]]);
    expect(withoutPane(three, three.selected ?? a)).toBe(three);
    const gone = withoutTerminal(split, a);
    expect([gone.selected, gone.panes]).toEqual([b, [c]]);
  });
});

describe('what a window keeps', () => {
  const [a, b, c] = ['a', 'b', 'c'].map(terminalId) as [TerminalId, TerminalId, TerminalId]; // three names, three ids
  const store = () => {
    const values = new Map<string, string>();
    return { values, getItem: (key: string) => values.get(key) ?? null, setItem: (key: string, value: string) => { values.set(key, value); } };
  };

  test('is there again after a reload, for a new window too; what is gone meanwhile drops out, and an event before the list takes nothing away', () => {
    const own = store();
    const last = store();
    const page = createStore<TerminalsModel>()(() => emptyTerminals);
    const stop = keepArrangement(page, [own, last]);
    const listed = withList(emptyTerminals, ['a', 'b', 'c'].map((title) => terminal(title)));
    page.setState(withPane(withPane(select(listed, a), b, 'beside'), c, 'beside'), true);
    stop();
    for (const kept of [keptArrangement(own, store()), keptArrangement(store(), last)]) {
      const loading = withTerminal({ ...emptyTerminals, ...kept }, terminal('fresh'));
      expect([loading.selected, loading.panes, loading.direction]).toEqual([a, [b, c], 'beside']);
      const ready = withList(loading, ['a', 'c', 'fresh'].map((title) => terminal(title)));
      expect([ready.selected, ready.panes]).toEqual([a, [c]]);
    }
    expect(keptArrangement(store(), store())).toEqual({});
  });

  test.each(['', '{', '7', '{"selected":7,"panes":"x","direction":"up","filter":"mine"}'])('that cannot be read counts as nothing: %s', (text) => {
    expect(readArrangement(text)).toEqual({});
  });
});

describe('a command that starts', () => {
  const looking = (change: Parameters<typeof terminal>[1]) => select(withList(emptyTerminals, [terminal('old', change), terminal('fresh', { startedAt: 2_000 })]), terminalId('old'));

  test('takes the view from another command', () => {
    expect(withNewest(looking({}), terminalId('fresh')).selected).toBe(terminalId('fresh'));
    expect(withNewest(looking({ kind: 'user', state: 'exited' }), terminalId('fresh')).selected).toBe(terminalId('fresh'));
  });

  test('does not take it from a person’s own shell, one they drive, or one that waits for a secret', () => {
    for (const change of [{ kind: 'user' as const }, { driver: 'user' as const }, { secretInput: true }]) {
      expect(withNewest(looking(change), terminalId('fresh')).selected).toBe(terminalId('old'));
    }
  });
});
