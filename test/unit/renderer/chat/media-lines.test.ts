import { expect, test } from 'vitest';
import { replyParts } from '../../../../renderer/features/chat/media-lines.ts';

const parts = (text: string, streaming = false) => replyParts(text, streaming).map((part) => (part.kind === 'file' ? `file ${part.path}` : part.text));

test('a line with a file is shown in its place, between the words around it', () => {
  expect(parts('Here:\nMEDIA:/tmp/a.png\nand\n  MEDIA: "/tmp/two words.ogg"  \ndone')).toEqual(['Here:', 'file /tmp/a.png', 'and', 'file /tmp/two words.ogg', 'done']);
  expect(parts('MEDIA:/tmp/a.ogg\n[[audio_as_voice]]')).toEqual(['file /tmp/a.ogg']);
});

test('words about it, code and fences stay text', () => {
  for (const text of ['Write MEDIA:/tmp/a.png to send it.', '```\nMEDIA:/tmp/a.png\n```\nafter', '~~~~\n~~~\nMEDIA:/x\n~~~~', 'MEDIA:', 'plain']) expect(parts(text)).toEqual([text]);
  expect(parts('```js\nx\n```\nMEDIA:/tmp/a.png')).toEqual(['```js\nx\n```', 'file /tmp/a.png']);
});

test('while it streams a path is whole only when its line has ended', () => {
  expect(parts('See\nMEDIA:/tmp/a', true)).toEqual(['See']);
  expect(parts('See\nMEDIA:/tmp/a.png\n', true)).toEqual(['See', 'file /tmp/a.png']);
});

test('a long list of files stays a list', () => {
  const listed = parts(Array.from({ length: 30 }, (_, index) => `MEDIA:/tmp/${String(index)}.png`).join('\n'));
  expect(listed.filter((part) => part.startsWith('file'))).toHaveLength(20);
  expect(listed.at(-1)).toContain('MEDIA:/tmp/29.png');
});
