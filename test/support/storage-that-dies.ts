/** A process that writes messages, streamed in pieces as a model does it, to be killed: `node storage-that-dies.ts DATABASE ROUND`. Prints the number of each message that is whole. */
import { writeSync } from 'node:fs';
import { systemClock } from '../../main/clock.ts';
import { silentLog } from '../../main/log.ts';
import { openStorage } from '../../main/storage/storage.ts';
import { aMessage, aSession, ids } from './stored.ts';

const [, , file = '', round = ''] = process.argv;
const storage = openStorage(file, { clock: systemClock, ids, log: silentLog });
const session = aSession();
storage.sessions.insert(session);
for (let number = 0; ; number += 1) {
  const { id } = storage.messages.insert(aMessage(session.id, { text: 'half', state: 'streaming' }));
  storage.messages.update(id, { text: `heron round${round}number${String(number)}end 苍鹭` });
  storage.messages.update(id, { state: 'complete', endedAt: 1 });
  writeSync(1, `${String(number)}\n`);
}
