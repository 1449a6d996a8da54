/** A kept program whose connection breaks: what is delivered, held back, and said. */
import { describe, expect, test } from 'vitest';
import { EnvironmentError, type ProcessEnd, type RunningProcess } from '../../../environments/base.ts';
import { followAgain, type FollowAgainParts } from '../../../environments/shell/remote/follow-again.ts';

const LOST: ProcessEnd = { exitCode: null, signal: null, why: 'lost', detail: 'the connection was lost; the command may still be running there' };

/** One connection to the program. */
function link(): { readonly running: RunningProcess; say(text: string): void; end(end: ProcessEnd): void; readonly written: string[]; readonly ended: string[] } {
  const over = Promise.withResolvers<ProcessEnd>();
  const written: string[] = [];
  const ended: string[] = [];
  let listener: ((bytes: Uint8Array) => void) | undefined;
  const early: Uint8Array[] = [];
  return {
    written, ended,
    say: (text) => { if (listener === undefined) early.push(Buffer.from(text)); else listener(Buffer.from(text)); },
    end: over.resolve,
    running: {
      pid: 7, mode: 'pipe', ended: over.promise, write: (data) => { written.push(Buffer.from(data).toString()); }, closeStdin: () => { written.push('<closed>'); }, resize: () => undefined, pause: () => { ended.push('paused'); }, resume: () => undefined,
      signal: () => undefined, end: ({ why }) => { ended.push(why); return Promise.resolve([]); },
      onOutput: (to) => {
        listener = to;
        for (const bytes of early.splice(0)) to(bytes);
      },
    },
  };
}

function follow(first: RunningProcess, parts: Partial<FollowAgainParts> = {}): { readonly running: RunningProcess; text(): string } {
  const running = followAgain(first, { closing: new AbortController().signal, follow: () => Promise.resolve(undefined), endTree: () => Promise.resolve([]), ...parts });
  let text = '';
  running.onOutput((bytes) => { text += Buffer.from(bytes).toString(); });
  return { running, text: () => text };
}

describe('a kept program', () => {
  test('whose connection breaks goes on from the byte that was missing, with what was typed meanwhile', async () => {
    const [first, second] = [link(), link()];
    const asked: number[] = [];
    const found = Promise.withResolvers<RunningProcess>();
    const { running, text } = follow(first.running, { follow: (from) => { asked.push(from); return found.promise; } });
    first.say('twelve bytes');
    running.write('heard\n');
    first.end(LOST);
    await expect.poll(() => asked).toEqual([12]);
    expect(running.away?.()).toBe(LOST.detail);
    running.write('later\n');
    running.closeStdin();
    running.pause();
    found.resolve(second.running);
    await expect.poll(() => second.written).toEqual(['later\n', '<closed>']);
    expect(running.away?.()).toBeUndefined();
    expect(second.ended).toEqual(['paused']);
    second.say(' and more');
    second.end({ exitCode: 3, signal: null, why: 'exit' });
    expect(await running.ended).toEqual({ exitCode: 3, signal: null, why: 'exit' });
    expect(text()).toBe('twelve bytes and more');
    expect(first.written).toEqual(['heard\n']);
  });

  test('is looked for again and again while its place is out of reach', async () => {
    const [first, second] = [link(), link()];
    let attempts = 0;
    const { running } = follow(first.running, { follow: () => { attempts += 1; return attempts < 3 ? Promise.reject(new EnvironmentError('unreachable', 'still away')) : Promise.resolve(second.running); } });
    first.end(LOST);
    second.end({ exitCode: 0, signal: null, why: 'exit' });
    expect(await running.ended).toMatchObject({ why: 'exit', exitCode: 0 });
    expect(attempts).toBe(3);
  });

  test('that is not there any more, or may not be looked for, is lost with the reason', async () => {
    const gone = link();
    const { running } = follow(gone.running);
    gone.end(LOST);
    expect(await running.ended).toEqual({ ...LOST, detail: `${LOST.detail ?? ''}; it is not there any more` });
    const refused = link();
    let attempts = 0;
    const second = follow(refused.running, { follow: () => { attempts += 1; return Promise.reject(new EnvironmentError('denied', 'the password was not given')); } });
    refused.end(LOST);
    expect(await second.running.ended).toMatchObject({ why: 'lost', detail: expect.stringMatching(/; the password was not given$/) as unknown });
    expect(attempts).toBe(1);
  });

  test('that ended with its place, or is out of reach for too long, is not looked for', async () => {
    const nobody = () => Promise.reject(new Error('nobody should look'));
    const ended = link();
    const { running } = follow(ended.running, { follow: nobody });
    ended.end({ ...LOST, gone: true });
    expect(await running.ended).toMatchObject({ why: 'lost', gone: true });
    const late = link();
    const second = follow(late.running, { follow: nobody, giveUpMs: 0 });
    late.end(LOST);
    expect(await second.running.ended).toEqual(LOST);
  });

  test('is left alone once its host closes', async () => {
    const first = link();
    const closing = new AbortController();
    const { running } = follow(first.running, { closing: closing.signal, follow: () => Promise.reject(new EnvironmentError('unreachable', 'away')) });
    first.end(LOST);
    await expect.poll(() => running.away?.()).toBeDefined();
    closing.abort();
    expect(await running.ended).toEqual(LOST);
  });

  test('can be ended while it is out of reach, and what comes of that is told', async () => {
    const first = link();
    const { running } = follow(first.running, { follow: () => new Promise(() => undefined), endTree: () => Promise.resolve([]) });
    first.end(LOST);
    await expect.poll(() => running.away?.()).toBeDefined();
    expect(await running.end({ why: 'abort' })).toEqual([]);
    expect(await running.ended).toMatchObject({ why: 'abort', signal: 'SIGKILL' });
    const second = link();
    const other = follow(second.running, { follow: () => new Promise(() => undefined), endTree: () => Promise.reject(new EnvironmentError('unreachable', 'no way there')) });
    second.end(LOST);
    await expect.poll(() => other.running.away?.()).toBeDefined();
    expect(await other.running.end({ why: 'abort' })).toEqual([7]);
    expect(await other.running.ended).toMatchObject({ why: 'abort', detail: 'it could not be ended (no way there) and may still be running there' });
  });
});
