/** A process that makes forks of one chat without a pause, to be killed: `node fork-that-dies.ts DATABASE MESSAGES`. Prints a line after each fork. */
import { writeSync } from 'node:fs';
import { systemClock } from '../../main/clock.ts';
import { createForks } from '../../main/host/forks.ts';
import { createTodoStore } from '../../main/host/todos.ts';
import { silentLog } from '../../main/log.ts';
import { openStorage } from '../../main/storage/storage.ts';
import type { SessionId } from '../../preload/contract/ids.ts';
import { aCall, aMessage, aSession, ids } from './stored.ts';

const [, , file = '', messages = '0'] = process.argv;
const storage = openStorage(file, { clock: systemClock, ids, log: silentLog });
const session = storage.sessions.list().at(-1) ?? aSession({ title: 'The first', titled: true });
if (session.messageCount === 0) {
  storage.sessions.insert(session);
  for (let number = 0; number < Number(messages); number += 1) {
    const { id } = storage.messages.insert(aMessage(session.id, { role: number % 2 === 0 ? 'user' : 'assistant', text: `text ${String(number)}` }));
    if (number % 2 === 1) storage.calls.insert([aCall(session.id, id, { state: 'done', result: 'x'.repeat(500) })]);
  }
}
const todos = createTodoStore(storage.values, silentLog);
todos.write(session.id, [{ id: '1', content: 'count', status: 'pending' }]);
const forks = createForks({
  agent: { retry: () => undefined }, clock: systemClock, events: { publish: () => undefined }, ids, storage, todos, sandboxes: { carry: () => undefined },
  backends: { carry: (_from: SessionId, to: SessionId) => { storage.values.set(`backend:${to}`, 'local'); return 'local'; } },
  sessions: { existing: (id: SessionId) => storage.sessions.get(id) ?? session },
});
for (let number = 0; ; number += 1) {
  forks.fork({ sessionId: session.id });
  // Some of the copies are in the search when it dies, some are not.
  storage.copies.index();
  writeSync(1, `${String(number)}\n`);
}
