import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FrameReader } from '../../../environments/shell/remote/frames.ts';

const NONCE = '0123456789abcdef';

function read(chunks: readonly Buffer[]) {
  const seen = { pid: undefined as number | undefined, parts: [] as Buffer[], code: undefined as number | undefined, cwd: undefined as string | undefined };
  const reader = new FrameReader(NONCE, {
    begin: (pid) => { seen.pid = pid; }, data: (bytes) => { seen.parts.push(Buffer.from(bytes)); },
    end: (code, cwd) => { seen.code = code; seen.cwd = cwd; },
  });
  for (const chunk of chunks) reader.push(chunk);
  return { ...seen, bytes: Buffer.concat(seen.parts), reader };
}

function cut(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const chunks: Buffer[] = [];
  let at = 0;
  for (const size of sizes) {
    chunks.push(bytes.subarray(at, at + size));
    at += size;
  }
  return [...chunks, bytes.subarray(at)];
}

test('whatever bytes a command prints, in whatever pieces, come out unchanged between the marks', () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), fc.array(fc.constantFrom(0x1e, 0x30, 0x45), { maxLength: 20 }), fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 60 }), (some, awkward, sizes) => {
    const body = Buffer.concat([Buffer.from(some), Buffer.from(awkward)]);
    const stream = Buffer.concat([Buffer.from(`login noise\n\x1e${NONCE}B42\x1e`), body, Buffer.from(`\x1e${NONCE}E7;/tmp/a%0Ab%25;c\x1elate output`)]);
    const seen = read(cut(stream, sizes));
    expect(seen).toMatchObject({ pid: 42, code: 7, cwd: '/tmp/a\nb%;c' });
    expect(seen.bytes.equals(body)).toBe(true);
  }));
});

test('output that is cut off without an end keeps what looked like the beginning of a mark', () => {
  const seen = read([Buffer.from(`\x1e${NONCE}B1\x1eabc\x1e${NONCE.slice(0, 5)}`)]);
  expect(seen.bytes.toString()).toBe('abc');
  seen.reader.flush();
  expect(Buffer.concat(seen.parts).toString()).toBe(`abc\x1e${NONCE.slice(0, 5)}`);
});

test('a shell that never began is told by what it said', () => {
  expect(read([Buffer.from('bash: not found\n')]).reader.noise).toBe('bash: not found\n');
});
