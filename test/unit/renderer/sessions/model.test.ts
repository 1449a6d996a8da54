import { describe, expect, test } from 'vitest';
import { groupByAge, neighbourOf, snippetWords, splitSnippet, waitingCount, withChanged, withList, withRemoved } from '../../../../renderer/features/sessions/model.ts';
import { session, sessionId } from '../../../support/renderer/records.ts';

const DAY = 86_400_000;
const NOW = new Date(2026, 2, 10, 15).getTime();
const at = (name: string, updatedAt: number, change = {}) => session({ id: sessionId(name), updatedAt, ...change });

describe('the list of chats', () => {
  test('has the latest first and no deleted ones', () => {
    const list = withList([at('a', 1), at('b', 3), at('c', 2, { deletedAt: 5 })]);
    expect(list.order).toEqual(['b', 'a']);
    expect(withChanged(list, at('a', 9)).order).toEqual(['a', 'b']);
    expect(withChanged(list, at('c', 2, { deletedAt: null })).order).toEqual(['b', 'c', 'a']);
    expect(withRemoved(list, sessionId('b')).order).toEqual(['a']);
    expect(withRemoved(list, sessionId('nobody'))).toBe(list);
  });

  test('is grouped by the day of the last change', () => {
    const list = withList([at('now', NOW), at('early', new Date(2026, 2, 10, 0, 1).getTime()), at('yesterday', NOW - DAY), at('old', NOW - 30 * DAY)]);
    expect(groupByAge(list, NOW)).toEqual([
      { title: 'Today', ids: ['now', 'early'] }, { title: 'Last seven days', ids: ['yesterday'] }, { title: 'Older', ids: ['old'] },
    ]);
  });

  test('counts what waits for the person, deleted chats left out', () => {
    expect(waitingCount(withList([at('a', 1, { waiting: 2 }), at('b', 2, { waiting: 1 }), at('c', 3, { waiting: 9, deletedAt: 4 })]))).toBe(3);
  });

  test('goes to the neighbour when a chat is deleted', () => {
    const list = withList([at('a', 3), at('b', 2), at('c', 1)]);
    expect([neighbourOf(list, sessionId('a')), neighbourOf(list, sessionId('b')), neighbourOf(list, sessionId('c'))]).toEqual(['b', 'c', 'b']);
    expect(neighbourOf(withList([at('a', 1)]), sessionId('a'))).toBeUndefined();
  });

  test.each([
    ['terminal {"command":"echo >>>line<<< \\"two\\"\\nsleep 1","background":true}', 'terminal', 'echo >>>line<<< "two" sleep 1 · true'],
    ['>>>read_file<<< {"path":"/a/b.txt"}', 'read_file', '/a/b.txt'],
    ['…do echo >>>line<<< $i; sleep…', 'terminal', '…do echo >>>line<<< $i; sleep…'],
    ['a message with {"json":"in it"}', undefined, 'a message with {"json":"in it"}'],
  ])('%s of %s is read as %s', (snippet, tool, words) => {
    expect(snippetWords({ snippet, ...(tool === undefined ? {} : { tool }) })).toBe(words);
  });

  test('splits the marks of a search hit, also broken ones', () => {
    expect(splitSnippet('a >>>b<<< c >>>d<<<')).toEqual([
      { text: 'a ', match: false }, { text: 'b', match: true }, { text: ' c ', match: false }, { text: 'd', match: true },
    ]);
    expect(splitSnippet('x >>>open')).toEqual([{ text: 'x ', match: false }, { text: 'open', match: true }]);
    expect(splitSnippet('')).toEqual([]);
  });
});
