import { Ban } from 'lucide-react';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { ApprovalId } from '../../../preload/contract/ids.ts';
import type { ApprovalRequest } from '../../../preload/contract/approvals.ts';
import { classNames } from '../../ui/class-names.ts';
import { PartList, TONE_LOOKS } from '../../ui/command-text.tsx';
import { reviewTone } from '../../ui/command-segments.ts';
import { VisibleText } from '../../ui/visible-text.tsx';
import { CardActions } from './card-actions.tsx';
import { CardBlast } from './card-blast.tsx';
import { CardCommand } from './card-command.tsx';
import { CardHead } from './card-head.tsx';
import { CardWhere } from './card-where.tsx';
import { approvals, update, useApprovals } from './live.ts';
import { arm, isOpen } from './model.ts';
import { plainQuote } from './plain-quote.ts';
import { useCardGuard } from './use-card-guard.ts';
import { VerdictLine } from './verdict-line.tsx';

export interface ApprovalCardProps {
  readonly requestId: ApprovalId;
  /** In the queue a card can be picked for an answer to several. */
  readonly pickable?: boolean;
}

/** One question to the person. The chat and the queue draw this same component for the same id. */
export function ApprovalCard({ requestId, pickable = false }: ApprovalCardProps) {
  const request = useApprovals((model) => model.byId.get(requestId));
  const note = useApprovals((model) => model.notes.get(requestId));
  const status = useApprovals((model) => model.status);
  /** True when the answer was given on this very card: its verdict line takes the focus. */
  const [answeredHere, setAnsweredHere] = useState(false);

  useEffect(() => {
    if (request === undefined && status === 'ready') void approvals.lookUp(requestId);
  }, [request, requestId, status]);

  if (request === undefined) return <p className="px-3 py-2 text-xs text-muted">{note ?? 'Looking for this request…'}</p>;
  return isOpen(request)
    ? <OpenCard key={requestId} request={request} pickable={pickable} note={note} onAnswered={() => { setAnsweredHere(true); }} />
    : <VerdictLine request={request} note={note} takesFocus={answeredHere} />;
}

interface OpenCardProps {
  readonly request: ApprovalRequest;
  readonly pickable: boolean;
  readonly note: string | undefined;
  readonly onAnswered: () => void;
}

function OpenCard({ request, pickable, note, onAnswered }: OpenCardProps) {
  const element = useRef<HTMLElement>(null);
  const armed = useApprovals((model) => model.armed === request.id);
  const guard = useCardGuard(request.id, element, onAnswered);
  const look = TONE_LOOKS[reviewTone(request.review)];
  const effects = [...new Set(request.review.findings.map((finding) => finding.effect))].filter((effect) => effect !== '' && !request.reason.includes(effect));

  useSeen(request, element);
  /** A card that someone else settles takes the focus with it; the line that replaces it must not lose it to the page. */
  useLayoutEffect(() => {
    const card = element.current;
    return () => { if (card !== null && card.contains(document.activeElement)) onAnswered(); };
    // eslint-disable-next-line react-hooks/exhaustive-deps -- runs when the card leaves, not when its parent draws again
  }, []);

  return (
    <article
      ref={element} tabIndex={-1} aria-label={`Approval request: ${request.reason}`} aria-current={armed || undefined} data-approval={request.id}
      /* Not when the press begins: what arming changes would move the buttons from under it. */
      onClick={() => { update((model) => arm(model, request.id)); }}
      onFocus={(event) => { if (event.target.matches(':focus-visible')) update((model) => arm(model, request.id)); }}
      className={classNames(
        '@container scroll-my-2 rounded-lg border bg-raised text-sm',
        armed ? 'border-accent outline-2 outline-offset-1 outline-accent outline-solid' : 'border-line-strong/50',
      )}
    >
      <CardHead request={request} look={look} pickable={pickable} />
      <div className="flex flex-col gap-2.5 px-3 pb-2.5">
        <CardCommand request={request} />
        {request.review.parts.length > 1 ? <PartList review={request.review} className="max-h-32 overflow-y-auto" /> : null}
        <CardWhere request={request} />
        <CardBlast request={request} />
        <div className="flex flex-col gap-1.5">
          {request.deniedBefore === undefined ? null : (
            <p data-denied-before="" className="flex items-start gap-1.5 rounded-md border border-danger/35 bg-danger-soft px-2 py-1 font-medium wrap-anywhere text-danger">
              <Ban size={13} aria-hidden className="mt-[3px] shrink-0" /><span className="min-w-0"><VisibleText text={request.deniedBefore} /></span>
            </p>
          )}
          <p data-reason="" tabIndex={0} role="group" aria-label="Why it stopped" className="focus-inset max-h-32 overflow-y-auto wrap-anywhere">
            <span className="font-medium">Why it stopped: </span>
            <VisibleText text={request.reason} />
            {effects.map((effect) => <span key={effect} className="block text-muted"><VisibleText text={effect} /></span>)}
          </p>
          {request.wants === undefined || request.wants === '' ? null : (
            <figure className="border-l-2 border-line-strong/50 pl-2.5">
              <figcaption className="text-xs text-muted">Why the agent wants it, in the model’s own words</figcaption>
              <blockquote className="max-h-24 overflow-y-auto wrap-anywhere whitespace-pre-wrap italic"><VisibleText text={plainQuote(request.wants)} /></blockquote>
            </figure>
          )}
        </div>
      </div>
      <CardActions request={request} guard={guard} note={note} armed={armed} onAnswered={onAnswered} />
    </article>
  );
}

/** Tells the host that a person could see it, once half of it (or the whole window full of it) is in sight. */
function useSeen(request: ApprovalRequest, element: React.RefObject<HTMLElement | null>): void {
  const unseen = request.state === 'created' || request.state === 'delivered';
  useEffect(() => {
    const card = element.current;
    if (!unseen || card === null) return;
    const observer = new IntersectionObserver((entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      observer.disconnect();
      void approvals.seen(request.id);
    }, { threshold: 0.3 });
    observer.observe(card);
    return () => { observer.disconnect(); };
  }, [unseen, request.id, element]);
}
