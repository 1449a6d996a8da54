import { describe, expect, test } from 'vitest';
import type { Talaria } from '../../../../preload/contract/index.ts';
import type { TerminalId } from '../../../../preload/contract/ids.ts';
import { Attachment } from '../../../../renderer/features/terminals/screen/attachment.ts';
import { GpuPool } from '../../../../renderer/features/terminals/screen/gpu-lease.ts';
import { findFiles, targetOf } from '../../../../renderer/features/terminals/screen/links.ts';
import { terminal } from './fixtures.ts';

describe('the graphics lease', () => {
  const addon = () => {
    const made = { disposed: 0, lose: (): void => undefined, onContextLoss: (listener: () => void) => { made.lose = listener; }, dispose: () => { made.disposed += 1; } };
    return made;
  };

  test('lends to so many terminals and no more; the next draws without', () => {
    const pool = new GpuPool(2);
    pool.lease(addon);
    const giveBack = pool.lease(addon);
    pool.lease(() => { throw new Error('must not be loaded'); });
    expect(pool.used).toBe(2);
    giveBack();
    giveBack();
    expect(pool.used).toBe(1);
  });

  test('a lost context gives the lease back once and disposes the addon', () => {
    const pool = new GpuPool(1);
    const made = addon();
    const giveBack = pool.lease(() => made);
    made.lose();
    giveBack();
    expect(made.disposed).toBe(1);
    expect(pool.used).toBe(0);
  });

  test('a machine without graphics costs no lease', () => {
    const pool = new GpuPool(1);
    pool.lease(() => { throw new Error('no WebGL'); });
    expect(pool.used).toBe(0);
  });
});

describe('places in files', () => {
  test.each([
    ['src/app.ts:12:4 - error', [{ path: 'src/app.ts', line: 12 }]],
    ['at /srv/app/main.js:3', [{ path: '/srv/app/main.js', line: 3 }]],
    ['see ./README.md', [{ path: './README.md', line: undefined }]],
    ['http://localhost:3000/a.js:5', []],
    ['plain words and version 1.2.3', []],
    ['e.g. file.txt without a line', []],
  ])('%s', (text, expected) => {
    expect(findFiles(text).map(({ path, line }) => ({ path, line }))).toEqual(expected);
  });

  test('a very long line is not searched', () => {
    expect(findFiles('a.b:1 '.repeat(1_000))).toEqual([]);
  });
});

test('only web addresses can be opened, and a text that hides its address is told', () => {
  expect(targetOf('https://evil.example/', 'https://bank.example/')).toEqual({ kind: 'web', url: 'https://evil.example/', shown: 'https://bank.example/' });
  expect(targetOf('https://a.example/', 'https://a.example/')).toMatchObject({ shown: undefined });
  for (const url of ['file:///etc/passwd', 'javascript:alert(1)', 'vscode://x', 'not an address']) expect(targetOf(url, undefined).kind).toBe('refused');
});

describe('an attachment', () => {
  const id: TerminalId = terminal('t').id;

  function wire() {
    const sent: { name: string; input: unknown }[] = [];
    const outputs = new Map<number, (bytes: Uint8Array) => void>();
    let status: (status: 'connecting' | 'open' | 'closed') => void = () => undefined;
    const answers: ((value: unknown) => void)[] = [];
    const talaria = {
      request: (name: string, input: unknown) => {
        sent.push({ name, input });
        return name === 'terminals.attach' ? new Promise((resolve) => { answers.push(resolve); }) : Promise.resolve({});
      },
      subscribe: () => () => undefined,
      onOutput: (attachment: number, listener: (bytes: Uint8Array) => void) => { outputs.set(attachment, listener); return () => { outputs.delete(attachment); }; },
      onStatus: (listener: typeof status) => { status = listener; listener('open'); return () => undefined; },
    } as unknown as Talaria; // a hand-driven wire: the generic signatures cannot be written for a recording one
    const drawn: string[] = [];
    const waiting: (() => void)[] = [];
    const drawing = {
      restart: (_terminal: unknown, snapshot: string) => { drawn.push(`restart:${snapshot}`); },
      write: (bytes: Uint8Array, done: () => void) => { drawn.push(new TextDecoder().decode(bytes)); waiting.push(done); },
    };
    const attachment = new Attachment(talaria, id, drawing, (error) => { throw error; });
    const answer = async (number: number, snapshot = '') => {
      answers.shift()?.({ terminal: terminal('t'), attachment: number, snapshot });
      await Promise.resolve();
      await Promise.resolve();
    };
    const acks = () => sent.filter((request) => request.name === 'terminals.ack').map((request) => request.input);
    return { sent, outputs, drawn, waiting, attachment, answer, acks, setStatus: (next: 'open' | 'closed') => { status(next); } };
  }
  const bytes = (count: number) => new Uint8Array(count).fill(65);

  test('draws the snapshot first and acknowledges what was really drawn', async () => {
    const { answer, outputs, drawn, waiting, acks } = wire();
    await answer(7, 'snap');
    outputs.get(7)?.(bytes(10));
    expect(drawn[0]).toBe('restart:snap');
    expect(acks()).toEqual([]);
    waiting.shift()?.();
    expect(acks()).toEqual([{ attachment: 7, bytes: 10 }]);
  });

  test('acknowledges in batches while more waits, and every byte in the end', async () => {
    const { answer, outputs, waiting, acks } = wire();
    await answer(7);
    for (let count = 0; count < 10; count += 1) outputs.get(7)?.(bytes(1_000));
    for (const done of waiting.splice(0)) done();
    expect(acks().length).toBeLessThan(5);
    expect(acks().reduce((sum: number, ack) => sum + (ack as { bytes: number }).bytes, 0)).toBe(10_000);
  });

  test('lets go when closed, also when the answer to its attach comes later', async () => {
    const { attachment, answer, sent, drawn } = wire();
    attachment.close();
    await answer(9, 'late');
    expect(drawn).toEqual([]);
    expect(sent.at(-1)).toEqual({ name: 'terminals.detach', input: { attachment: 9 } });
  });

  test('attaches anew when the line comes back, and draws from a new snapshot', async () => {
    const { answer, setStatus, drawn, sent } = wire();
    await answer(7, 'first');
    setStatus('closed');
    setStatus('open');
    await answer(8, 'second');
    expect(drawn).toEqual(['restart:first', 'restart:second']);
    expect(sent.filter((request) => request.name === 'terminals.attach')).toHaveLength(2);
  });
});
