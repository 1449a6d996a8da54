/** What is asked of a person: bound to a chat, once, for 45 s, and nowhere kept; and how known secrets are hidden. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { CredentialQuestion } from '../../../environments/base.ts';
import { createCredentials } from '../../../main/credentials/credentials.ts';
import { addConfiguredSecrets, createKnownSecrets, rememberingSecrets } from '../../../main/credentials/known-secrets.ts';
import { createIds } from '../../../main/ids.ts';
import type { TopicEvent } from '../../../preload/contract/index.ts';
import { handClock } from '../../support/hand-clock.ts';

const QUESTION: CredentialQuestion = { kind: 'secret', purpose: 'sudo', host: 'me@box', title: 'sudo needs the password of me@box' };

function make(canAsk = true) {
  const clock = handClock();
  const told: TopicEvent<'credentials'>[] = [];
  const secrets: string[] = [];
  const credentials = createCredentials({
    clock, ids: createIds(), events: { publish: (_topic, event) => { told.push(event as TopicEvent<'credentials'>); } }, canAsk: () => canAsk, onSecret: (value) => secrets.push(value), // only this topic is published here
  });
  return { clock, credentials, told, secrets };
}

describe('a question', () => {
  test('belongs to the chat in whose work it arose, whatever happens in between, and is answered once', async () => {
    const { credentials, told, secrets } = make();
    const answer = credentials.within({ sessionId: 'chat-1' }, async () => {
      await new Promise((resolve) => { setImmediate(resolve); });
      return credentials.ask(QUESTION);
    });
    await expect.poll(() => credentials.list()).toMatchObject([{ sessionId: 'chat-1', host: 'me@box', problem: null }]);
    const [open] = credentials.list();
    if (open === undefined) throw new Error('nothing is asked');
    credentials.answer(open.id, 'hunter2-hunter2');
    expect(await answer).toEqual({ kind: 'given', value: 'hunter2-hunter2' });
    expect(secrets).toEqual(['hunter2-hunter2']);
    expect(JSON.stringify(told)).not.toContain('hunter2');
    expect(() => { credentials.answer(open.id, 'again'); }).toThrow('not asked any more');
  });

  test('is late after 45 s, and not before', async () => {
    const { clock, credentials } = make();
    const answer = credentials.ask(QUESTION);
    clock.advance(44_999);
    expect(credentials.list()).toHaveLength(1);
    clock.advance(1);
    expect(await answer).toEqual({ kind: 'late' });
    expect(credentials.list()).toEqual([]);
  });

  test('ends with the work that asks, with the host, and at once where nobody is', async () => {
    const { credentials } = make();
    const stop = new AbortController();
    const stopped = credentials.within({ sessionId: 'chat-1', signal: stop.signal }, () => credentials.ask(QUESTION));
    stop.abort();
    expect(await stopped).toEqual({ kind: 'stopped' });
    const open = credentials.ask(QUESTION);
    credentials.close();
    expect(await open).toEqual({ kind: 'nobody' });
    expect(await make(false).credentials.ask(QUESTION)).toEqual({ kind: 'nobody' });
  });

  test('that is only agreed to, or refused, keeps no secret', async () => {
    const { credentials, secrets } = make();
    const both = [credentials.ask({ ...QUESTION, kind: 'confirm' }), credentials.ask(QUESTION)];
    const [agreed, refused] = credentials.list();
    if (agreed === undefined || refused === undefined) throw new Error('two are asked');
    credentials.answer(agreed.id, 'yes');
    credentials.answer(refused.id, null);
    expect(await Promise.all(both)).toEqual([{ kind: 'given', value: 'yes' }, { kind: 'cancelled' }]);
    expect(secrets).toEqual([]);
  });
});

describe('known secrets', () => {
  test('are hidden anywhere; a short one only where it stands alone', () => {
    const known = createKnownSecrets();
    known.add('correct horse $& battery');
    known.add('test');
    expect(known.hide('x=correct horse $& battery; a test\n  test  \n')).toBe('x=***; a test\n  ***  \n');
    expect(known.hide('correct horse $& battery', '«gone»')).toBe('«gone»');
  });

  test('come from variables and the .env file by their names, and from the store of keys', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'talaria-known-'));
    try {
      const known = createKnownSecrets();
      await writeFile(join(folder, '.env'), 'SOME_TOKEN=from-the-file-1\nCOLOUR=red-red-red-red\n');
      addConfiguredSecrets(known, { MY_API_KEY: 'from-a-variable-2', PATH: '/usr/bin:/usr/sbin', SHORT_TOKEN: 'none' }, join(folder, '.env'));
      addConfiguredSecrets(known, {}, join(folder, 'not-there'));
      const store = rememberingSecrets({ get: () => Promise.resolve('from-the-store-3'), set: () => Promise.resolve(), warning: undefined }, known);
      await store.get('key');
      await store.set('other', 'set-into-it-444');
      expect(known.hide('from-the-file-1 red-red-red-red from-a-variable-2 /usr/bin:/usr/sbin none from-the-store-3 set-into-it-444')).toBe('*** red-red-red-red *** /usr/bin:/usr/sbin none *** ***');
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
