import { KeyRound, Lock, RotateCcw, User, Bot } from 'lucide-react';
import { useEffect, useRef } from 'react';
import type { Terminal } from '../../../preload/contract/terminal.ts';
import { Button } from '../../ui/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { useNow } from '../../ui/clock.ts';
import { formatBytes, formatDuration, formatTicking } from '../../ui/format.ts';
import { useShown } from '../../ui/use-shown.ts';
import { VisibleText } from '../../ui/visible-text.tsx';
import { terminals } from './live.ts';
import { told } from './told.ts';
import { endTone, endWords, wheelOf } from './model.ts';
import { END_LOOKS } from './terminal-list.tsx';

const WHEELS = {
  own: { icon: User, words: 'Your shell' },
  agent: { icon: Bot, words: 'Agent drives' },
  you: { icon: User, words: 'You drive' },
  waiting: { icon: KeyRound, words: 'Waiting for you' },
  'no-input': { icon: Lock, words: 'Takes no input' },
} as const;

/** Who drives, or how it ended; directory, size and how long. */
export function StateBar({ terminal, onDriven }: { readonly terminal: Terminal; /** The person has the wheel now. */ readonly onDriven: () => void }) {
  const element = useRef<HTMLDivElement>(null);
  const shown = useShown(element);
  const running = terminal.state === 'running';
  const now = useNow(running && shown);
  const wheel = wheelOf(terminal);
  const lasted = (terminal.endedAt ?? now) - terminal.startedAt;
  const typed = running && terminal.kind !== 'user' ? terminal.lastInput : undefined;
  const driven = useRef(terminal.driver);
  useEffect(() => {
    if (terminal.driver === 'user' && driven.current === 'agent' && element.current?.contains(document.activeElement) === true) onDriven();
    driven.current = terminal.driver;
  }, [terminal.driver, onDriven]);
  return (
    <div ref={element} className={classNames('@container flex h-8 items-center gap-2 border-t px-2.5 text-xs whitespace-nowrap', wheel === 'you' || wheel === 'waiting' ? 'border-accent bg-accent-soft' : 'border-line bg-panel')}>
      {wheel === 'ended' ? <Ended terminal={terminal} /> : <Wheel wheel={wheel} />}
      <span className="shrink-0 text-muted tabular-nums @max-[270px]:hidden">{wheel === 'ended' ? `after ${formatDuration(lasted)}` : formatTicking(lasted)}</span>
      {terminal.bytes === 0 ? null : <span className={classNames('shrink-0 text-muted tabular-nums', typed === undefined ? '@max-[340px]:hidden' : '@max-[500px]:hidden')} title={`${terminal.cols} × ${terminal.rows}`}>{formatBytes(terminal.bytes)}</span>}
      {typed === undefined ? null : <span className="min-w-0 truncate text-muted tabular-nums @max-[340px]:hidden">{typed.by === 'user' ? 'you' : 'agent'} typed {formatTicking(Math.max(0, now - typed.at))} ago</span>}
      <code className="min-w-0 flex-1 truncate text-muted @max-[270px]:hidden" title={terminal.cwd}><VisibleText text={terminal.cwd} /></code>
      {wheel === 'agent' || wheel === 'you' ? <DriveButton terminal={terminal} driver={wheel} /> : null}
      {wheel === 'ended' && (terminal.kind === 'user' || terminal.sessionId !== null) ? (
        <Button size="small" className="ml-auto @max-[200px]:w-6 @max-[200px]:px-0" icon={<RotateCcw size={12} aria-hidden />} onClick={() => { told(terminals.rerun(terminal), 'Not run again'); }}><span className="@max-[200px]:sr-only">{terminal.kind === 'user' ? 'Open again' : 'Run again'}</span></Button>
      ) : null}
    </div>
  );
}

/** One button for both ways: it keeps the focus while the host answers, and the second half of a double click does not undo the first. */
function DriveButton({ terminal: { id }, driver }: { readonly terminal: Terminal; readonly driver: 'agent' | 'you' }) {
  const taking = driver === 'agent';
  return (
    <Button
      className="ml-auto" size="small" tone={taking ? 'secondary' : 'primary'}
      onClick={(event) => { if (event.detail < 2) told(terminals.drive(id, taking ? 'user' : 'agent'), taking ? 'Not taken over' : 'Not handed back'); }}
    >
      {taking ? 'Take over' : 'Hand back'}
    </Button>
  );
}

function Wheel({ wheel }: { readonly wheel: keyof typeof WHEELS }) {
  const { icon: Icon, words } = WHEELS[wheel];
  return (
    <span role="status" className={classNames('inline-flex min-w-0 items-center gap-1 font-medium @min-[270px]:shrink-0', wheel === 'you' || wheel === 'waiting' ? 'text-accent' : 'text-ink')}>
      <Icon size={13} aria-hidden className="shrink-0" /><span className="truncate">{words}</span>
      {wheel === 'agent' ? <Lock size={11} aria-label="read-only for you" className="shrink-0 text-muted" /> : null}
    </span>
  );
}

function Ended({ terminal }: { readonly terminal: Terminal }) {
  const { icon: Icon, look } = END_LOOKS[endTone(terminal)];
  return <span role="status" title={endWords(terminal)} className="inline-flex min-w-0 items-center gap-1 font-medium"><Icon size={13} aria-hidden className={classNames('shrink-0', look)} /><span className="truncate">{endWords(terminal)}</span></span>;
}
