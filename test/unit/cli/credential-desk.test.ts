/** Passwords and a yes to a new server, on the terminal of the command line. */
import { describe, expect, test } from 'vitest';
import { openCredentialDesk } from '../../../main/shells/cli/credential-desk.ts';
import type { CredentialRequest } from '../../../preload/contract/index.ts';
import { CredentialId } from '../../../preload/contract/ids.ts';
import { testCliHost, testStreams, type TestTerminalStreams } from '../../support/cli-host.ts';

const ID = CredentialId.parse('crd_0123456789abcdef');
const request = (change: Partial<CredentialRequest> = {}): CredentialRequest => ({
  id: ID, sessionId: null, kind: 'secret', purpose: 'sudo', host: 'me@box', title: 'sudo needs the password of me@box', detail: '', fingerprint: null, problem: null, createdAt: 0, expiresAt: 45_000, ...change,
});

function open(interactive = true) {
  const streams = testStreams({ interactive });
  const answered: (string | null)[] = [];
  const done: (() => void)[] = [];
  let interrupted = 0;
  const host = testCliHost({ 'credentials.answer': ({ value }) => {
    answered.push(value);
    for (const tell of done.splice(0)) tell();
    return {};
  } });
  const close = openCredentialDesk({ host, streams, onInterrupt: () => { interrupted += 1; } });
  return {
    streams, answered, close, interrupts: () => interrupted, ask: (asked: CredentialRequest) => host.bus.publish('credentials', { type: 'asked', request: asked }),
    settle: () => host.bus.publish('credentials', { type: 'settled', id: ID }), answer: () => new Promise<void>((resolve) => { done.push(resolve); }),
  };
}

async function type(streams: TestTerminalStreams, text: string): Promise<void> {
  streams.stdin.write(text);
  await new Promise((resolve) => { setImmediate(resolve); });
}

describe('a secret', () => {
  test('is typed unseen, with its blanks, and what was typed before does not count', async () => {
    const desk = open();
    desk.streams.stdin.write('typed ahead\r');
    const answer = desk.answer();
    desk.ask(request({ problem: 'sudo refused that password (1 of 3).' }));
    await desk.streams.shows('not sent to the model');
    await type(desk.streams, ' pass word ');
    await type(desk.streams, 'x\u007f\r');
    await answer;
    expect(desk.answered).toEqual([' pass word ']);
    expect(desk.streams.err()).toContain('sudo refused that password');
    expect(desk.streams.err() + desk.streams.out()).not.toMatch(/pass word|typed ahead/);
    expect(desk.streams.raw.at(-1)).toBe(false);
    desk.close();
  });

  test('that is not typed, or has nobody to type it, is not given', async () => {
    const desk = open();
    const answer = desk.answer();
    desk.ask(request());
    await desk.streams.shows('not sent to the model');
    await type(desk.streams, '\r');
    await answer;
    const alone = open(false);
    const none = alone.answer();
    alone.ask(request());
    await none;
    expect([...desk.answered, ...alone.answered]).toEqual([null, null]);
  });

  test('is given up by Ctrl-C, which stops the command, too', async () => {
    const desk = open();
    const answer = desk.answer();
    desk.ask(request());
    await desk.streams.shows('not sent to the model');
    await type(desk.streams, 'half\u0003');
    await answer;
    expect(desk.answered).toEqual([null]);
    expect(desk.interrupts()).toBe(1);
  });
});

describe('a new server', () => {
  test.each([['yes', 'yes'], ['y', 'yes'], ['no', null], ['', null], ['maybe', null]])('%j is the answer %j, under its fingerprint', async (typed, answered) => {
    const desk = open();
    const answer = desk.answer();
    desk.ask(request({ kind: 'confirm', purpose: 'ssh-host-key', title: 'First connection to box: is this its key?', fingerprint: 'ssh-ed25519 SHA256:abc' }));
    await desk.streams.shows('Type yes');
    expect(desk.streams.err()).toContain('ssh-ed25519 SHA256:abc');
    await type(desk.streams, `${typed}\r`);
    await answer;
    expect(desk.answered).toEqual([answered]);
  });
});

test('a question that was settled elsewhere is taken back, and hostile words of a server are written out', async () => {
  const desk = open();
  desk.ask(request({ kind: 'text', purpose: 'ssh-question', title: 'me@box asks', detail: 'Code\u001b[2J\u202e:' }));
  await desk.streams.shows('> ');
  expect(desk.streams.err()).not.toMatch(/\u001b\[2J|\u202e/);
  desk.settle();
  await type(desk.streams, 'late\r');
  expect(desk.answered).toEqual([]);
  desk.close();
});
