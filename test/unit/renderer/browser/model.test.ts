import { expect, test } from 'vitest';
import { addressOf, inputOfKey, placeOf } from '../../../../renderer/features/browser/model.ts';

const plain = { ctrlKey: false, altKey: false, metaKey: false, shiftKey: false };

test('a click on the small picture is a place on the large page', () => {
  const box = { left: 100, top: 50, width: 640, height: 400 };
  const page = { width: 1_280, height: 800 };
  expect(placeOf({ x: 100, y: 50 }, box, page)).toEqual({ x: 0, y: 0 });
  expect(placeOf({ x: 420, y: 250 }, box, page)).toEqual({ x: 640, y: 400 });
  expect(placeOf({ x: 9_000, y: -5 }, box, page)).toEqual({ x: 1_280, y: 0 });
});

test('letters are text, keys are keys, and Tab stays with the window', () => {
  expect(inputOfKey({ ...plain, key: 'ä' })).toEqual({ kind: 'text', text: 'ä' });
  expect(inputOfKey({ ...plain, key: 'A', shiftKey: true })).toEqual({ kind: 'text', text: 'A' });
  expect(inputOfKey({ ...plain, key: '@', altKey: true })).toEqual({ kind: 'text', text: '@' });
  expect(inputOfKey({ ...plain, key: 'a', ctrlKey: true })).toEqual({ kind: 'key', key: 'Control+a' });
  expect(inputOfKey({ ...plain, key: 'ArrowDown', shiftKey: true })).toEqual({ kind: 'key', key: 'Shift+ArrowDown' });
  for (const key of ['Tab', 'Shift', 'Control', 'Dead']) expect(inputOfKey({ ...plain, key })).toBeUndefined();
  expect(inputOfKey({ ...plain, key: 'a', isComposing: true })).toBeUndefined();
});

test('a bare name is an address of the web; words are none', () => {
  expect(addressOf(' example.org/a ')).toBe('https://example.org/a');
  expect(addressOf('http://127.0.0.1:8080')).toBe('http://127.0.0.1:8080');
  for (const typed of ['', 'two words', 'http://']) expect(addressOf(typed)).toBeUndefined();
});
