import { Maximize2, Minimize2 } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { ApprovalRequest } from '../../../preload/contract/approvals.ts';
import { classNames } from '../../ui/class-names.ts';
import { CommandText } from '../../ui/command-text.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { formatNumber } from '../../ui/format.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { hasInvisible } from '../../ui/invisible.ts';
import { update, useApprovals } from './live.ts';
import { LONG_COMMAND_CHARS, markReadInFull, markTall, mustReadFirst } from './model.ts';

/** The last line may be half a pixel off the edge after zooming. */
const END_SLACK_PIXELS = 8;

/** The command, byte for byte and in full, in its own scroll so that the buttons below never leave the window. */
export function CardCommand({ request }: { readonly request: ApprovalRequest }) {
  const scroll = useRef<HTMLPreElement>(null);
  const [large, setLarge] = useState(false);
  const [more, setMore] = useState(false);
  const { command, id } = request;
  const unread = useApprovals((model) => mustReadFirst(model, request));

  const look = (): void => {
    const view = scroll.current;
    // A view that is not laid out, as in a dock that is closed, says nothing.
    if (view === null || view.clientHeight === 0) return;
    const atEnd = view.scrollTop + view.clientHeight >= view.scrollHeight - END_SLACK_PIXELS;
    setMore(!atEnd);
    const scrolls = view.scrollHeight > view.clientHeight + END_SLACK_PIXELS;
    if (!atEnd) update((model) => markTall(model, id));
    else if (scrolls || command.length > LONG_COMMAND_CHARS) update((model) => markReadInFull(model, id));
  };
  useEffect(() => {
    const view = scroll.current;
    if (view === null) return;
    const observer = new ResizeObserver(look);
    observer.observe(view);
    return () => { observer.disconnect(); };
    // eslint-disable-next-line react-hooks/exhaustive-deps -- `look` only reads the element and the request of this card
  }, [command, id, large]);

  return (
    <div className="rounded-md border border-line bg-sunken">
      <div className="group/command relative">
        <pre
          ref={scroll} tabIndex={0} data-command="" role="group" aria-label={request.tool === 'terminal' ? 'Command' : `What ${request.tool} wants to do`} onScroll={look}
          className={classNames('focus-inset overflow-auto rounded-md py-2 pr-16 pl-3 text-xs leading-[20px] wrap-anywhere whitespace-pre-wrap', large ? 'max-h-[70vh]' : 'max-h-[min(40vh,260px)]')}
        >
          <code><CommandText command={command} review={request.review} /></code>
        </pre>
        <span className="absolute top-1 right-1 flex">
          {more || large ? <IconButton size="small" icon={large ? Minimize2 : Maximize2} label={large ? 'Show less' : 'Show more at once'} onClick={() => { setLarge(!large); }} /> : null}
          <CopyButton text={command} label="Copy the command" />
        </span>
      </div>
      {more || hasInvisible(command) || command.length > LONG_COMMAND_CHARS ? (
        <p className="flex flex-wrap gap-x-3 border-t border-line px-3 py-1 text-xs text-muted">
          {command.length > LONG_COMMAND_CHARS ? <span>{formatNumber(command.length)} characters: scroll to the end before it can run.</span> : null}
          {more && command.length <= LONG_COMMAND_CHARS ? <span>There is more below: scroll to {unread ? 'the end before it can run' : 'read it all'}.</span> : null}
          {more && request.review.findings.length > 0 ? (
            <button type="button" className="rounded-sm font-medium text-accent hover:underline" onClick={() => { scroll.current?.querySelector('[data-culprit]')?.scrollIntoView({ block: 'nearest' }); }}>
              Show what stopped it
            </button>
          ) : null}
          {hasInvisible(command) ? <span className="text-danger">Holds characters that cannot be seen; they are written out above.</span> : null}
        </p>
      ) : null}
    </div>
  );
}
