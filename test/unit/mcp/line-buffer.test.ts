import { expect, test } from 'vitest';
import { LineBuffer } from '../../../main/mcp/line-buffer.ts';

const message = (id: number, text = ''): string => JSON.stringify({ jsonrpc: '2.0', id, result: { text } });
function read(buffer: LineBuffer): unknown[] {
  const found: unknown[] = [];
  for (let next = buffer.readMessage(); next !== null; next = buffer.readMessage()) found.push('id' in next ? next.id : next);
  return found;
}

test('messages come whole and in order, however the bytes are cut', () => {
  const bytes = Buffer.from(`${message(1, 'straße 日本 🎲')}\r\n${message(2)}\nnot JSON\n\n${message(3)}\n`);
  for (const size of [1, 2, 3, 7, bytes.length]) {
    const buffer = new LineBuffer(1_000);
    const found: unknown[] = [];
    for (let at = 0; at < bytes.length; at += size) {
      buffer.append(bytes.subarray(at, at + size));
      found.push(...read(buffer));
    }
    expect(found).toEqual([1, 2, 3]);
  }
});

test('characters cut in two are put together again', () => {
  const buffer = new LineBuffer(1_000);
  for (const byte of Buffer.from(`${message(1, '日本🎲')}\n`)) buffer.append(Buffer.of(byte));
  expect(buffer.readMessage()).toMatchObject({ result: { text: '日本🎲' } });
});

test('JSON that is no message is an error and costs no other', () => {
  const buffer = new LineBuffer(1_000);
  buffer.append(Buffer.from(`{"jsonrpc":"1.0"}\n${message(2)}\n`));
  expect(() => buffer.readMessage()).toThrow();
  expect(read(buffer)).toEqual([2]);
});

test('a line that becomes too long is refused; many short ones are not', () => {
  const buffer = new LineBuffer(100);
  for (let id = 0; id < 50; id += 1) buffer.append(Buffer.from(`${message(id)}\n`));
  expect(read(buffer)).toHaveLength(50);
  buffer.append(Buffer.from('x'.repeat(60)));
  expect(() => { buffer.append(Buffer.from('x'.repeat(60))); }).toThrow('exceeded maximum size of 100 bytes');
});
