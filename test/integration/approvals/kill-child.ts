/**
 * A host in a process of its own that asks, answers and "runs" what it may: running is a line in a journal that outlives every kill. Told what to
 * do by the lines of its stdin; says `did` after each.
 */
import { createHash } from 'node:crypto';
import { appendFileSync } from 'node:fs';
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

const [sessionText = '', journal = ''] = process.argv.slice(2);
const sessionId = SessionId.parse(sessionText);
const ids = createIds();
const log = silentLog;
const paths = homePaths();
const storage = openStorage(paths.database, { clock: systemClock, ids, log });
const config = openConfig({ paths, clock: systemClock, log });
const note = (line: object): void => { appendFileSync(journal, `${JSON.stringify(line)}\n`); };
const run = (id: string | undefined, command: string): void => { note({ ran: id, hash: createHash('sha256').update(command).digest('hex') }); };
const approvals = createApprovals({
  clock: systemClock, ids, log, events: createEventBus(log), storage, config, redact: createRedact({ enabled: true }), place: () => ({ backend: 'local', isolated: false, cwd: '/srv', host: 'child', user: 'me' }),
});
approvals.addSurface('child');
approvals.onOrphanDecided((request) => { if (request.state === 'approved') run(request.id, request.editedCommand ?? request.command); });
const stops: AbortController[] = [];

async function decide(id: string, choice: 'once' | 'deny', editedCommand?: string): Promise<void> {
  const request = storage.approvals.get(ApprovalId.parse(id));
  try {
    await approvals.decide({ id: ApprovalId.parse(id), choice, ...(editedCommand === undefined ? {} : { editedCommand }) }, 'child');
    note({ accepted: id, approved: choice === 'once', hash: createHash('sha256').update(editedCommand ?? request?.command ?? '').digest('hex') });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'approval/late')) note({ fault: String(error) });
  }
}

function act([verb = '', ...rest]: readonly string[]): void | Promise<void> {
  if (verb === 'ask') {
    const stop = new AbortController();
    stops.push(stop);
    const command = rest.join(' ');
    void approvals.review({ tool: 'terminal', command, cwd: '/srv', sessionId, taskId: 'default', toolCallId: ids.call(), signal: stop.signal }).then((outcome) => {
      if (outcome.approved) run(outcome.approvalId, outcome.command);
      else note({ answered: outcome.approvalId, outcome: outcome.outcome });
    });
  } else if (verb === 'stop') stops.shift()?.abort();
  else if (verb === 'decide') return decide(rest[0] ?? '', rest[1] === 'once' ? 'once' : 'deny', rest[2] === undefined ? undefined : rest.slice(2).join(' '));
}

createInterface({ input: process.stdin }).on('line', (line) => { void Promise.resolve(act(line.split(' '))).then(() => { process.stdout.write('did\n'); }); }).on('close', () => process.exit(0));
process.stdout.write('did\n');
