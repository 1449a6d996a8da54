import { Circle, CircleAlert, CircleCheck, CircleStop, CircleX, Rows2 } from 'lucide-react';
import type { Terminal } from '../../../preload/contract/terminal.ts';
import { classNames } from '../../ui/class-names.ts';
import { useNow } from '../../ui/clock.ts';
import { formatDuration, formatTicking } from '../../ui/format.ts';
import { VisibleText } from '../../ui/visible-text.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { showBeside, showSelected } from './live.ts';
import { endTone, endWords, ownerWord, wheelOf } from './model.ts';

export const END_LOOKS = {
  running: { icon: Circle, look: 'fill-current text-accent animate-working' },
  ok: { icon: CircleCheck, look: 'text-ok' },
  failed: { icon: CircleX, look: 'text-danger' },
  stopped: { icon: CircleStop, look: 'text-muted' },
  lost: { icon: CircleAlert, look: 'text-warn' },
} as const;

/** One line per terminal: state, title, whose it is, how long. The line of the one that is shown is marked. */
export function TerminalList({ terminals, selected, shown }: {
  readonly terminals: readonly Terminal[]; readonly selected: Terminal['id'] | undefined; /** True while the list can be seen: only then its clocks tick. */ readonly shown: boolean;
}) {
  const now = useNow(shown && terminals.some((terminal) => terminal.state === 'running'));
  return (
    <ul aria-label="Terminals" className="flex flex-col p-1">
      {terminals.map((terminal) => {
        const { icon: Icon, look } = END_LOOKS[endTone(terminal)];
        const waiting = wheelOf(terminal) === 'waiting';
        const lasted = (terminal.endedAt ?? now) - terminal.startedAt;
        return (
          <li key={terminal.id} className={classNames('group/row flex items-center rounded-md hover:bg-hover', terminal.id === selected && 'bg-selected')}>
            <button
              type="button" aria-current={terminal.id === selected || undefined} onClick={() => { showSelected(terminal.id); }}
              className="focus-inset flex h-6 min-w-0 flex-1 items-center gap-1.5 rounded-md px-1.5 text-left text-xs"
            >
              <Icon size={terminal.state === 'running' ? 8 : 12} aria-label={endWords(terminal)} className={classNames('shrink-0', terminal.state === 'running' && 'mx-0.5', look)} />
              <span className="min-w-0 flex-1 truncate font-mono"><VisibleText text={terminal.title.slice(0, 200)} /></span>
              {waiting ? <span className="shrink-0 font-medium text-warn">waits for you</span> : <span className="shrink-0 text-muted">{ownerWord(terminal)}</span>}
              <span className="min-w-16 shrink-0 text-right whitespace-nowrap text-muted tabular-nums">{terminal.state === 'running' ? formatTicking(lasted) : formatDuration(lasted)}</span>
            </button>
            {selected === undefined || terminals.length === 1 ? null : terminal.id === selected ? <span className="w-6 shrink-0" /> : (
              <IconButton size="small" icon={Rows2} label={`Show next to the other: ${terminal.title.slice(0, 60)}`} onClick={() => { showBeside(terminal.id, 'below'); }} className="opacity-0 group-hover/row:opacity-100 focus-visible:opacity-100" />
            )}
          </li>
        );
      })}
    </ul>
  );
}
