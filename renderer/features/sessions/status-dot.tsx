import type { SessionOrigin, SessionStatus } from '../../../preload/contract/index.ts';
import { classNames } from '../../ui/class-names.ts';

const WORDS: Record<SessionStatus, string | undefined> = { idle: undefined, running: 'running', waiting: 'waiting for you', stopping: 'stopping' };
const LOOK: Record<SessionStatus, string> = {
  idle: 'bg-transparent',
  running: 'bg-accent animate-working',
  waiting: 'bg-warn-line ring-3 ring-warn-line/25',
  stopping: 'border border-line-strong',
};

/** Word for a status a person should know of; undefined for the quiet one. */
export function statusWord(status: SessionStatus): string | undefined {
  return WORDS[status];
}

export function StatusDot({ status }: { readonly status: SessionStatus }) {
  return <span aria-hidden className={classNames('size-2 shrink-0 rounded-full', LOOK[status])} />;
}

const ORIGIN_WORDS: Record<SessionOrigin, string | undefined> = {
  user: undefined, tour: 'tour', cli: 'from the CLI', delegate: 'sub-agent', cron: 'schedule', gateway: 'gateway',
};

export function originWord(origin: SessionOrigin): string | undefined {
  return ORIGIN_WORDS[origin];
}
