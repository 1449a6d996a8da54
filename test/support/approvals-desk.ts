/** A real approval service over a real store and config file in a folder of its own, with time moved by hand. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApprovals, type ApprovalsParts, type ApprovalsService } from '../../main/approvals/service.ts';
import { openConfig, type LiveConfig } from '../../main/config/config.ts';
import { homePaths, type Paths } from '../../main/config/paths.ts';
import { createEventBus } from '../../main/events.ts';
import { silentLog } from '../../main/log.ts';
import type { EventBus, Storage } from '../../main/ports.ts';
import { createRedact } from '../../main/redact.ts';
import { openStorage } from '../../main/storage/storage.ts';
import type { SessionId } from '../../preload/contract/ids.ts';
import type { ApprovalRequest } from '../../preload/contract/index.ts';
import type { ReviewOutcome, ReviewRequest } from '../../tools/context.ts';
import { handClock, type HandClock } from './hand-clock.ts';
import { aSession, ids } from './stored.ts';

/** Identities of hosts that are alive in this test; a "killed" one is taken out. */
export const living = new Set<string>();

export interface Desk {
  readonly approvals: ApprovalsService;
  readonly storage: Storage;
  readonly config: LiveConfig;
  readonly events: EventBus;
  readonly clock: HandClock;
  readonly paths: Paths;
  readonly sessionId: SessionId;
  review(command: string, more?: Partial<ReviewRequest>): Promise<ReviewOutcome>;
  /** The open requests, which must be as many. */
  open(count: number): ApprovalRequest[];
  /** The one open request. */
  only(): ApprovalRequest;
  yaml(): string;
  /** As a kill does it: nothing is settled, the database is just let go. */
  kill(): void;
  remove(): void;
}

export interface DeskOptions extends Partial<Pick<ApprovalsParts, 'yolo' | 'judge' | 'place' | 'detect' | 'log' | 'which' | 'scan' | 'blast' | 'self' | 'askMode' | 'observe'>> {
  readonly yaml?: string;
  /** Another desk over the same home. */
  readonly beside?: Desk;
  readonly screens?: number;
  readonly clock?: HandClock;
  readonly environment?: Record<string, string>;
}

export function desk(options: DeskOptions = {}): Desk {
  const { beside } = options;
  const paths = beside?.paths ?? homePaths({ HERMES_HOME: mkdtempSync(join(tmpdir(), 'talaria-approvals-')) });
  if (options.yaml !== undefined) writeFileSync(paths.config, options.yaml);
  const clock = options.clock ?? beside?.clock ?? handClock();
  const log = options.log ?? silentLog;
  const storage = openStorage(paths.database, { clock, ids, log });
  const config = openConfig({ paths, clock, log, environment: options.environment ?? {} });
  const events = createEventBus(log);
  const identity = ids.hex(8);
  living.add(identity);
  const session = beside === undefined ? aSession({ title: 'Clean up' }) : undefined;
  if (session !== undefined) storage.sessions.insert(session);
  const sessionId = beside?.sessionId ?? session?.id ?? ids.session();
  const approvals = createApprovals({
    clock, ids, log, events, storage, config, redact: createRedact({ enabled: true }),
    place: ({ backend, cwd }) => ({ backend: backend ?? 'local', isolated: false, cwd: cwd ?? '/srv/app', home: '/home/me', host: 'desk', user: 'me' }),
    owner: { own: identity, isAlive: (other) => living.has(other) },
    ...(options.yolo === undefined ? {} : { yolo: options.yolo }), ...(options.judge === undefined ? {} : { judge: options.judge }),
    ...(options.which === undefined ? {} : { which: options.which }), ...(options.scan === undefined ? {} : { scan: options.scan }), ...(options.blast === undefined ? {} : { blast: options.blast }),
    ...(options.self === undefined ? {} : { self: options.self }), ...(options.askMode === undefined ? {} : { askMode: options.askMode }), ...(options.observe === undefined ? {} : { observe: options.observe }),
    ...(options.place === undefined ? {} : { place: options.place }), ...(options.detect === undefined ? {} : { detect: options.detect }),
  });
  for (let screen = 0; screen < (options.screens ?? 1); screen += 1) approvals.addSurface('test');
  let gone = false;
  const kill = (): void => {
    if (gone) return;
    gone = true;
    living.delete(identity);
    approvals.close();
    config.close();
    storage.close();
  };
  const open = (count: number): ApprovalRequest[] => {
    const requests = approvals.list();
    if (requests.length !== count) throw new Error(`${requests.length} requests are open, not ${count}`);
    return requests;
  };
  return {
    approvals, storage, config, events, clock, paths, sessionId, kill, open,
    review: (command, more = {}) => approvals.review({
      tool: 'terminal', command, cwd: '/srv/app', sessionId, taskId: 'default', toolCallId: ids.call(), signal: new AbortController().signal, ...more,
    }),
    only: () => open(1)[0] ?? (() => { throw new Error('no request is open'); })(),
    yaml: () => readFileSync(paths.config, 'utf8'),
    remove: () => {
      kill();
      rmSync(paths.home, { recursive: true, force: true });
    },
  };
}
