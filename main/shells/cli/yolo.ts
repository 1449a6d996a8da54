/** Says where nothing is asked: for the whole run (`--yolo`, HERMES_YOLO_MODE), or in one chat (`/yolo`). */
import type { SessionId } from '../../../preload/contract/index.ts';
import { CALLER, type CommandContext } from './command.ts';
import type { CliHost } from './host-port.ts';
import { print } from './streams.ts';

const STILL = 'Only what never runs and your deny rules are stopped.';

type Told = Pick<CommandContext, 'streams' | 'paint'>;

const banner = ({ streams, paint }: Told, text: string): void => { print(streams.stderr, paint('inverse', paint('bold', ` ${text} `))); };

/** On stderr, also beside machine-readable output: nobody should miss it. */
export async function warnYolo(told: Told, host: Pick<CliHost, 'handle'>): Promise<void> {
  const { process } = await host.handle('approvals.yolo', {}, CALLER);
  if (process) banner(told, `YOLO: nothing is asked in this run. ${STILL}`);
}

export async function toggleYolo(told: Told, host: Pick<CliHost, 'handle'>, sessionId: SessionId): Promise<void> {
  const before = await host.handle('approvals.yolo', {}, CALLER);
  const on = !before.sessions.includes(sessionId);
  await host.handle('approvals.setYolo', { sessionId, on }, CALLER);
  if (on) banner(told, `YOLO: nothing is asked in this chat until /yolo or its end. ${STILL}`);
  else print(told.streams.stderr, before.process ? 'This chat would ask again, but the whole run was started with --yolo.' : 'Questions are asked again.');
}
