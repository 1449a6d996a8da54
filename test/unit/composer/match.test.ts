import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bestMatches, candidate, score } from '../../../main/composer/match.ts';

const TREE = ['README.md', 'docs/readme-notes.md', 'renderer/features/chat/chat-view.tsx', 'renderer/features/chat/chatView.test.ts', 'main/agent/chat.ts', 'main/host/chat-requests.ts', 'docs/', 'main/agent/'];
const find = (query: string, limit = 12): Promise<string[]> => bestMatches(TREE.map(candidate), query, limit);

test('a name that begins with what was typed stands before one that has it somewhere', async () => {
  expect((await find('chat'))[0]).toBe('main/agent/chat.ts');
  expect((await find('readme'))[0]).toBe('README.md');
});

test('first letters of words and humps find a file', async () => {
  expect((await find('cv')).slice(0, 2).toSorted()).toEqual(['renderer/features/chat/chat-view.tsx', 'renderer/features/chat/chatView.test.ts']);
  expect((await find('mhcr'))[0]).toBe('main/host/chat-requests.ts');
});

test('folders are found, and a path can be typed on', async () => {
  expect((await find('docs'))[0]).toBe('docs/');
  expect(await find('docs/')).toEqual(['docs/', 'docs/readme-notes.md']);
});

test('what lacks a character is no match, and nothing typed shows the shortest paths', async () => {
  expect(await find('zzz')).toEqual([]);
  expect((await find('', 2)).toSorted()).toEqual(['README.md', 'docs/']);
});

test('the list is what sorting every score gives, whatever the order of the files', async () => {
  const path = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'C', '-', '.'), minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
  await fc.assert(fc.asyncProperty(fc.uniqueArray(path, { maxLength: 40 }), fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 3 }), async (paths, query) => {
    const scored = paths.map((each) => ({ each, points: score(candidate(each), query) })).filter((entry): entry is { each: string; points: number } => entry.points !== undefined);
    const sorted = scored.toSorted((one, other) => other.points - one.points || one.each.length - other.each.length || (one.each < other.each ? -1 : 1)).map(({ each }) => each);
    expect(await bestMatches(paths.map(candidate), query, 12)).toEqual(sorted.slice(0, 12));
    expect(await bestMatches(paths.toReversed().map(candidate), query, 12)).toEqual(sorted.slice(0, 12));
  }), { numRuns: 200 });
});

test('in 50,000 paths others get a turn while a key is answered', async () => {
  const many = Array.from({ length: 50_000 }, (_, index) => candidate(`packages/part-${index % 700}/source/module-${index}.ts`));
  let turns = 0;
  let over = false;
  const count = (): void => { turns += 1; if (!over) setImmediate(count); };
  setImmediate(count);
  expect((await bestMatches(many, 'module-49999', 12))[0]).toBe('packages/part-299/source/module-49999.ts');
  over = true;
  expect(turns).toBeGreaterThanOrEqual(5);
});
