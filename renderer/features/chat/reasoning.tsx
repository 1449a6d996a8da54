import { ChevronRight } from 'lucide-react';
import { useId, useState } from 'react';
import { classNames } from '../../ui/class-names.ts';

/** What the model thought before it spoke: folded away, plain text, never mixed with the answer. */
export function Reasoning({ text, live }: { readonly text: string; readonly live: boolean }) {
  const [open, setOpen] = useState(false);
  const id = useId();
  return (
    <div>
      <button type="button" aria-expanded={open} aria-controls={id} onClick={() => { setOpen(!open); }} className="-ml-1 flex h-6 items-center gap-1 rounded-md text-xs text-muted hover:text-ink">
        <ChevronRight size={14} aria-hidden className={classNames('transition-transform duration-100', open && 'rotate-90')} />
        <span className={live ? 'animate-working' : undefined}>{live ? 'Thinking' : 'Thought'}</span>
      </button>
      <div id={id} hidden={!open} className="mt-1 ml-1.5 border-l-2 border-line pl-3 text-xs text-muted wrap-anywhere whitespace-pre-wrap">{open ? text : null}</div>
    </div>
  );
}
