import { CircleCheck, CircleHelp, OctagonX, TriangleAlert } from 'lucide-react';
import type { LucideIcon } from 'lucide-react';
import { memo, useMemo } from 'react';
import type { CommandPart, CommandReview } from '../../preload/contract/approvals.ts';
import { classNames } from './class-names.ts';
import { commandSegments, listedParts, partTone } from './command-segments.ts';
import type { PartTone } from './command-segments.ts';
import { VisibleText } from './visible-text.tsx';

interface ToneLook { readonly word: string; readonly icon: LucideIcon; readonly text: string; readonly soft: string }

/** One word, one icon, one colour per tone, so that no meaning hangs on the colour alone. */
export const TONE_LOOKS: Readonly<Record<PartTone, ToneLook>> = {
  allowed: { word: 'Allowed', icon: CircleCheck, text: 'text-ok', soft: 'bg-ok-soft' },
  unknown: { word: 'Not known', icon: CircleHelp, text: 'text-warn', soft: 'bg-warn-soft' },
  danger: { word: 'Dangerous', icon: TriangleAlert, text: 'text-danger', soft: 'bg-danger-soft' },
  blocked: { word: 'Never runs', icon: OctagonX, text: 'text-danger', soft: 'bg-danger-soft' },
};

type Judged = Pick<CommandReview, 'parts' | 'findings' | 'verdict'>;

/** The command in full, coloured and marked part by part; what a detector pointed at is underlined. Stands inside a <pre>. */
export const CommandText = memo(function CommandText({ command, review }: { readonly command: string; readonly review: Judged }) {
  const segments = useMemo(() => commandSegments(command, review), [command, review]);
  return segments.map((segment) => {
    const look = segment.tone === undefined ? undefined : TONE_LOOKS[segment.tone];
    return (
      <span
        key={segment.start} data-culprit={segment.culprit || undefined}
        {...(look === undefined ? {} : { title: segment.culprit ? `${look.word}: this is what stopped it` : look.word })}
        className={classNames(
          look !== undefined && 'rounded-sm', look?.soft,
          segment.culprit && 'underline decoration-danger decoration-2 underline-offset-4',
        )}
      >
        {look === undefined || segment.opens === undefined ? null : <look.icon aria-hidden size={11} className={classNames('mr-0.5 ml-0.5 inline align-[-1px] select-none', look.text)} />}
        <WholeOptions text={segment.text} />
      </span>
    );
  });
});

/** An option and what it is glued to, up to a length that still fits a narrow card. */
const OPTION = /((?<=^|\s)-\S{1,30})/;

/** Lines never break after the dash of an option: `rm -` on one line and `rf` on the next would read as something else. */
function WholeOptions({ text }: { readonly text: string }) {
  return text.split(OPTION).map((piece, index) => (index % 2 === 1
    ? <span key={index} className="whitespace-nowrap"><VisibleText text={piece} /></span>
    : <VisibleText key={index} text={piece} />));
}

/** Each part of a command with its verdict in a word and the rule that spoke. */
export function PartList({ review, className }: { readonly review: Judged; readonly className?: string }) {
  const listed = listedParts(review.parts);
  return (
    <ul aria-label="Parts of the command" className={classNames('flex flex-col gap-0.5 text-xs', className)}>
      {listed.map((part, index) => <PartRow key={index} part={part} tone={partTone(part, review.findings)} />)}
      {review.parts.length > listed.length ? <li className="text-muted">and {review.parts.length - listed.length} more parts</li> : null}
    </ul>
  );
}

function PartRow({ part, tone }: { readonly part: CommandPart; readonly tone: PartTone }) {
  const look = TONE_LOOKS[tone];
  return (
    <li className="flex items-center gap-1.5 leading-5" style={{ paddingLeft: `${Math.min(part.depth, 6) * 12}px` }}>
      <span className={classNames('inline-flex w-[86px] shrink-0 items-center gap-1', look.text)}>
        <look.icon size={12} aria-hidden className="shrink-0" />
        {look.word}
      </span>
      <code className="min-w-0 flex-1 truncate" title={part.text.length > 300 ? `${part.text.slice(0, 300)}…` : part.text}><VisibleText text={part.text.slice(0, 300)} /></code>
      {part.rule === undefined ? null : <span className="max-w-[45%] shrink-0 truncate text-muted" title={part.rule}>{part.rule}</span>}
    </li>
  );
}
