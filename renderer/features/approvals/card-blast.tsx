import { TriangleAlert } from 'lucide-react';
import { Fragment } from 'react';
import type { ApprovalRequest, BlastRadius } from '../../../preload/contract/approvals.ts';
import { VisibleText } from '../../ui/visible-text.tsx';
import { blastFacts } from './blast-words.ts';

/**
 * What the command reaches. The host finds it out while the card is already there: the text has the same few lines before as after and
 * scrolls inside them, so that the answer pushes neither the buttons nor the card below. Most answers need no more: two lines on a wide
 * card, three on one in the dock.
 */
export function CardBlast({ request }: { readonly request: Pick<ApprovalRequest, 'tool' | 'blast' | 'cwd'> }) {
  if (request.tool !== 'terminal') return null;
  const { blast } = request;
  return (
    <div role="group" aria-label="What it reaches" data-blast={blast === undefined ? 'pending' : blast.state} tabIndex={0} className="focus-inset h-[54px] overflow-y-auto rounded-sm text-xs leading-[18px] @xl:h-9">
      {blast === undefined ? <p className="text-muted"><span className="font-medium text-ink">Reaches: </span>looking…</p> : <Reach blast={blast} cwd={request.cwd} />}
    </div>
  );
}

function Reach({ blast, cwd }: { readonly blast: BlastRadius; readonly cwd: string }) {
  const facts = blastFacts(blast);
  const more = blast.paths.length === 20;
  return (
    <>
      <p className="wrap-anywhere">
        <span className="font-medium">Reaches: </span>
        {facts.map(({ words, warns }, index) => (
          <Fragment key={words}>
            {index === 0 ? null : <span className="text-faint"> · </span>}
            {warns ? <span className="font-medium text-warn"><TriangleAlert size={11} aria-label="Note:" className="mr-0.5 inline align-[-1px]" /><VisibleText text={words} /></span> : <VisibleText text={words} />}
          </Fragment>
        ))}
      </p>
      {blast.paths.length === 0 ? null : (
        <ul aria-label="Paths">
          {blast.paths.map((path) => <li key={path} className="wrap-anywhere text-muted"><code><VisibleText text={path} /></code></li>)}
          {more ? <li className="text-muted">The first 20 are shown; there may be more.</li> : null}
        </ul>
      )}
      {/* The line above the box says where it runs already. */}
      {blast.workspace === null || blast.workspace === cwd ? null : <p className="wrap-anywhere text-muted">The workspace is <code><VisibleText text={blast.workspace} /></code></p>}
    </>
  );
}
