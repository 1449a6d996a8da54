import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../../main/clock.ts';
import { createChatSkills } from '../../../main/host/skills.ts';
import { platformOf } from '../../../main/host/platform.ts';
import { writeLineage } from '../../../main/lineage.ts';
import { silentLog } from '../../../main/log.ts';
import type { Storage } from '../../../main/ports.ts';
import { openStorage } from '../../../main/storage/storage.ts';
import type { SessionId } from '../../../preload/contract/index.ts';
import { aSession, ids } from '../../support/stored.ts';

let storage: Storage;
beforeEach(() => { storage = openStorage(':memory:', { clock: systemClock, ids, log: silentLog }); });
afterEach(() => storage.close());

const chat = (): SessionId => {
  const session = aSession();
  storage.sessions.insert(session);
  return session.id;
};

test('a chat is held where its messenger is, and so are the sub-agents it sends out; every other one is held here', () => {
  const [here, there, errand] = [chat(), chat(), chat()];
  storage.gateway.putChat({ platform: 'telegram', chat: '1', thread: '', title: 'Ann', sessionId: there, deliveredSeq: 0 });
  writeLineage(storage.values, errand, { parent: there, depth: 1 });
  expect([here, there, errand].map((id) => platformOf(storage, id))).toEqual(['cli', 'telegram', 'telegram']);
});

test('a skills folder that cannot be read leaves the prompt without skills, and is written down', async () => {
  const errors: string[] = [];
  const offered = createChatSkills({ home: '/proc/self/mem', config: { get: () => undefined, env: () => undefined }, storage, log: { error: (message) => { errors.push(message); } } }).skills;
  expect(await offered(chat())).toEqual([]);
  const broken = createChatSkills({ home: '/home\0', config: { get: () => undefined, env: () => undefined }, storage, log: { error: (message) => { errors.push(message); } } }).skills;
  expect(await broken(chat())).toEqual([]);
  expect(errors).toEqual(['the skills could not be read for the system prompt']);
});
