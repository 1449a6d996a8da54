import { expect, test } from 'vitest';
import type { Checkpoint } from '../../../../preload/contract/index.ts';
import { canHaveCheckpoints, changeWord, firstOfEachRoot, restoredWords } from '../../../../renderer/features/checkpoints/words.ts';

const nothing = { restored: [], removed: [], left: [], failed: [], undo: null };

test('only finished calls of tools that change files are asked about', () => {
  expect(canHaveCheckpoints({ name: 'patch', state: 'done' })).toBe(true);
  expect(canHaveCheckpoints({ name: 'terminal', state: 'error' })).toBe(true);
  expect(canHaveCheckpoints({ name: 'terminal', state: 'running' })).toBe(false);
  expect(canHaveCheckpoints({ name: 'write_file', state: 'blocked' })).toBe(false);
  expect(canHaveCheckpoints({ name: 'read_file', state: 'done' })).toBe(false);
});

test('what was put back is said in one sentence, failures by name', () => {
  expect(restoredWords(nothing)).toBe('Everything is as it was then.');
  expect(restoredWords({ ...nothing, restored: ['a'], removed: ['b', 'c'], left: ['d'] })).toBe('1 file put back; 2 new files removed; 1 later file left alone.');
  expect(restoredWords({ ...nothing, failed: ['x', 'y', 'z'].map((path) => ({ path, why: 'it is a link' })) }))
    .toBe('x could not be put back: it is a link; y could not be put back: it is a link; 1 more could not be put back.');
});

test('every kind of change has its word', () => {
  expect((['changed', 'created', 'deleted'] as const).map(changeWord)).toEqual(['changed', 'new', 'gone']);
});

test('of everything kept since a message, the oldest of each directory and backend undoes all of it', () => {
  const kept = (id: string, createdAt: number, root: string, backend = 'local'): Checkpoint => ({ id: id as Checkpoint['id'], createdAt, sessionId: null, callId: null, tool: 'patch', reason: '', backend, root, paths: [], skipped: [] });
  expect(firstOfEachRoot([kept('c', 3, '/a'), kept('b', 2, '/b'), kept('a', 1, '/a'), kept('d', 4, '/a', 'docker')]).map(({ id }) => id)).toEqual(['a', 'b', 'd']);
});
