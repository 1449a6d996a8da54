import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../../main/clock.ts';
import { createRedact } from '../../../main/redact.ts';
import { Capture } from '../../../main/terminals/capture.ts';
import { cleanFile } from '../../../main/terminals/clean-file.ts';

let folder: string;
beforeEach(() => { folder = mkdtempSync(join(tmpdir(), 'talaria-capture-')); });
afterEach(() => { rmSync(folder, { recursive: true, force: true }); });

function capture(more: { maxChars?: number; maxLines?: number; eager?: boolean; path?: string; onDiskError?: (error: Error) => void } = {}): Capture {
  return new Capture({ path: join(folder, 'out.log'), maxChars: 100, maxLines: 50, eager: false, clock: systemClock, onDiskBusy: () => undefined, onDiskError: () => undefined, ...more });
}

describe('captured output', () => {
  test('what fits is kept whole and needs no file', async () => {
    const kept = capture();
    kept.push(Buffer.from('hello '));
    kept.push(Buffer.from('world'));
    await kept.close();
    expect(kept.text()).toBe('hello world');
    expect(kept.path).toBeUndefined();
    expect(() => statSync(join(folder, 'out.log'))).toThrow();
  });

  test('too much keeps 40 % head and 60 % tail around a mark that counts', async () => {
    const kept = capture();
    kept.push(Buffer.from('H'.repeat(40)));
    kept.push(Buffer.from('m'.repeat(500)));
    kept.push(Buffer.from('T'.repeat(60)));
    await kept.close();
    expect(kept.text()).toBe(`${'H'.repeat(40)}\n\n... [OUTPUT TRUNCATED - 500 chars omitted out of 600 total] ...\n\n${'T'.repeat(60)}`);
    expect({ total: kept.totalChars, omitted: kept.omittedChars, bytes: kept.bytes }).toEqual({ total: 600, omitted: 500, bytes: 600 });
  });

  test('the file holds every byte, for its owner only', async () => {
    const kept = capture();
    const all = Buffer.alloc(300_000, 'line of text\n');
    for (let at = 0; at < all.length; at += 777) kept.push(all.subarray(at, at + 777));
    await kept.close();
    expect(kept.path).toBe(join(folder, 'out.log'));
    expect(readFileSync(join(folder, 'out.log')).equals(all)).toBe(true);
    expect(statSync(join(folder, 'out.log')).mode & 0o777).toBe(0o600);
  });

  test('more lines than a screen keeps go to the file though they are few characters, and are there once they were asked for', async () => {
    const kept = capture();
    kept.push(Buffer.from('\n'.repeat(49)));
    expect(kept.path).toBeUndefined();
    kept.push(Buffer.from('\n'));
    await kept.flushed();
    expect(readFileSync(join(folder, 'out.log'), 'utf8')).toBe('\n'.repeat(50));
    await kept.close();
    await kept.flushed();
  });

  test('characters split over chunks are decoded once they are whole', async () => {
    const kept = capture();
    const seen: string[] = [];
    for (const byte of Buffer.from('é€😀')) seen.push(kept.push(Uint8Array.of(byte)));
    await kept.close();
    expect(seen.join('')).toBe('é€😀');
    expect(kept.text()).toBe('é€😀');
  });

  test('a character that never completes becomes a replacement character', async () => {
    const kept = capture();
    kept.push(Uint8Array.of(0x61, 0xe2, 0x82));
    await kept.close();
    expect(kept.text()).toBe('a\ufffd');
  });

  test('an eager capture writes from the first byte on', async () => {
    const kept = capture({ eager: true });
    kept.push(Buffer.from('x'));
    await kept.close();
    expect(readFileSync(join(folder, 'out.log'), 'utf8')).toBe('x');
  });

  test('a disk that cannot be written is told once, and head and tail are kept', async () => {
    const errors: Error[] = [];
    const kept = capture({ path: join(folder, 'missing', 'out.log'), onDiskError: (error) => errors.push(error) });
    for (let round = 0; round < 50; round++) kept.push(Buffer.alloc(10, 'y'));
    await kept.close();
    expect(errors).toHaveLength(1);
    expect(kept.path).toBeUndefined();
    expect(kept.totalChars).toBe(500);
  });

  test('the tail reaches into the head while nothing was left out', async () => {
    const kept = capture();
    kept.push(Buffer.from('abcdefghij'));
    await kept.close();
    expect(kept.tail(4)).toBe('ghij');
    expect(kept.tail(100)).toBe('abcdefghij');
  });
});

describe('a complete file of output', () => {
  const hide = (text: string): string => text.replaceAll('sk-canary', '[hidden]');

  test('loses its secrets and keeps every other byte', async () => {
    const path = join(folder, 'f.log');
    const noise = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    writeFileSync(path, Buffer.concat([noise, Buffer.alloc(600_000, 'line\n'), Buffer.from('key sk-canary here\n'), Buffer.alloc(600_000, 'x'), Buffer.from('sk-canary')]), { mode: 0o600 });
    await cleanFile(path, hide);
    const cleaned = readFileSync(path);
    expect(cleaned.equals(Buffer.concat([noise, Buffer.alloc(600_000, 'line\n'), Buffer.from('key [hidden] here\n'), Buffer.alloc(600_000, 'x'), Buffer.from('[hidden]')]))).toBe(true);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['f.log']);
  });

  test('loses a key of many lines wherever it stands', async () => {
    const path = join(folder, 'f.log');
    const key = ['-----BEGIN PRIVATE KEY-----', ...Array.from({ length: 40 }, (_, line) => `canary${String(line).padStart(58, '0')}`), '-----END PRIVATE KEY-----', ''].join('\n');
    const redact = createRedact({ enabled: true });
    for (const before of [0, 1_000, 2_000, 3_000]) {
      writeFileSync(path, `${'line\n'.repeat((256 * 1024 - before) / 5)}${key}last\n`);
      await cleanFile(path, redact);
      expect(readFileSync(path, 'utf8')).not.toContain('canary');
      expect(readFileSync(path, 'utf8')).toMatch(/line\n\[REDACTED PRIVATE KEY\]\nlast\n$/);
    }
  });

  test('without secrets is not written again', async () => {
    const path = join(folder, 'f.log');
    writeFileSync(path, 'nothing here\n');
    const before = statSync(path).ino;
    await cleanFile(path, hide);
    expect(statSync(path).ino).toBe(before);
  });

  test('that is gone is an error for the caller', async () => {
    await expect(cleanFile(join(folder, 'none'), hide)).rejects.toThrow(/ENOENT/);
  });
});
