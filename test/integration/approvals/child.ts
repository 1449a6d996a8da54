/**
 * A host in a process of its own, told what to do by the lines of its stdin and answering with lines of JSON. Plays the part of a second
 * Talaria, or of one that is killed.
 */
import { createInterface } from 'node:readline';
import { createApprovals } from '../../../main/approvals/service.ts';
import { systemClock } from '../../../main/clock.ts';
import { openConfig } from '../../../main/config/config.ts';
import { homePaths } from '../../../main/config/paths.ts';
import { createEventBus } from '../../../main/events.ts';
import { createIds } from '../../../main/ids.ts';
import { silentLog } from '../../../main/log.ts';
import { createRedact } from '../../../main/redact.ts';
import { openStorage } from '../../../main/storage/storage.ts';
import { ApprovalId, SessionId } from '../../../preload/contract/ids.ts';
import { ApprovalChoice } from '../../../preload/contract/approvals.ts';
import { aMessage } from '../../support/stored.ts';

const paths = homePaths();
const ids = createIds();
const log = silentLog;
const storage = openStorage(paths.database, { clock: systemClock, ids, log });
const config = openConfig({ paths, clock: systemClock, log });
const events = createEventBus(log);
const approvals = createApprovals({
  clock: systemClock, ids, log, events, storage, config, redact: createRedact({ enabled: true }),
  place: () => ({ backend: 'local', isolated: false, cwd: '/srv', host: 'child', user: 'me' }),
});
approvals.addSurface('child');
const say = (answer: object): void => { process.stdout.write(`${JSON.stringify(answer)}\n`); };
approvals.onOrphanDecided((request) => say({ carriesOut: request.id, command: request.command, state: request.state }));

const [sessionText = ''] = process.argv.slice(2);
const sessionId = SessionId.parse(sessionText);

async function act(words: readonly string[]): Promise<void> {
  const [verb, ...rest] = words;
  const text = rest.join(' ');
  if (verb === 'review') {
    const outcome = approvals.review({ tool: 'terminal', command: text, cwd: '/srv', sessionId, taskId: 'default', toolCallId: 'x', signal: new AbortController().signal });
    say({ asked: text });
    say({ outcome: await outcome });
  } else if (verb === 'decide') {
    const [id, choice] = rest;
    try {
      say({ decided: await approvals.decide({ id: ApprovalId.parse(id), choice: ApprovalChoice.parse(choice) }, 'child') });
    } catch (error) {
      say({ failed: error instanceof Error && 'code' in error ? error.code : String(error) });
    }
  } else if (verb === 'insert') {
    for (let index = 0; ; index += 1) say({ inserted: storage.messages.insert(aMessage(sessionId, { text: `${text} ${index}` })).id });
  } else if (verb === 'write') {
    const count = Number(rest[0]);
    for (let index = 0; index < count; index += 1) {
      storage.messages.insert(aMessage(sessionId, { text: `${rest[1] ?? ''} ${index}` }));
      await approvals.allow(`${rest[1] ?? ''} ${index}`, { by: 'child' });
    }
    say({ wrote: count });
  }
}

createInterface({ input: process.stdin }).on('line', (line) => { void act(line.split(' ')); }).on('close', () => process.exit(0));
say({ ready: true });
