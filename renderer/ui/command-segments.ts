import type { CommandPart, CommandReview, Finding } from '../../preload/contract/approvals.ts';

/** How a part of a command stands: one colour, one icon and one word each. Strictness grows in this order. */
export type PartTone = 'allowed' | 'unknown' | 'danger' | 'blocked';

/** A stretch of a command that is drawn in one colour. */
export interface CommandSegment {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** Tone of the innermost part around it; undefined between parts (operators, space). */
  readonly tone: PartTone | undefined;
  /** Index into `review.parts` when the stretch is the first of that part: its label stands here. */
  readonly opens: number | undefined;
  /** True inside a finding: underlined. */
  readonly culprit: boolean;
}

/** More borders than this are drawn as one plain text, so that a hostile command cannot fill the page with elements. */
const MAX_BORDERS = 1_500;

/** More parts than this are counted instead of listed. */
const MAX_LISTED = 40;

/** The first ones in reading order; when there are too many, what stopped the command comes before what may run. */
export function listedParts(parts: readonly CommandPart[]): readonly CommandPart[] {
  if (parts.length <= MAX_LISTED) return parts;
  const kept = new Set([...parts.filter((part) => part.verdict !== 'allow'), ...parts.filter((part) => part.verdict === 'allow')].slice(0, MAX_LISTED));
  return parts.filter((part) => kept.has(part));
}

interface Span { readonly start: number; readonly end: number }

/** Keeps a span inside the text; a span that a detector got wrong never throws. */
function clamp<T extends Span>(span: T, length: number): T {
  const start = Math.min(Math.max(0, span.start), length);
  return { ...span, start, end: Math.min(Math.max(start, span.end), length) };
}

/** Tone of one part: what asks is dangerous where a danger pattern matched inside it, else only unknown. */
export function partTone(part: CommandPart, findings: readonly Finding[]): PartTone {
  if (part.verdict === 'allow') return 'allowed';
  if (part.verdict === 'block') return 'blocked';
  const dangerous = findings.some((finding) => finding.tier !== 'unknown' && finding.start < part.end && finding.end > part.start);
  return dangerous ? 'danger' : 'unknown';
}

/** Tone of a whole review: blocked, dangerous, unknown or allowed. */
export function reviewTone(review: Pick<CommandReview, 'verdict' | 'findings'>): PartTone {
  if (review.verdict === 'allow') return 'allowed';
  if (review.verdict === 'block') return 'blocked';
  return review.findings.some((finding) => finding.tier !== 'unknown') ? 'danger' : 'unknown';
}

/** Cuts a command at every border of a part or a finding. The texts of the result joined are the command. */
export function commandSegments(command: string, review: Pick<CommandReview, 'parts' | 'findings' | 'verdict'>): CommandSegment[] {
  const parts = review.parts
    .map((part, index) => ({ ...clamp(part, command.length), index, tone: partTone(part, review.findings) }))
    .filter((part) => part.end > part.start);
  const findings = review.findings.map((finding) => clamp(finding, command.length)).filter((finding) => finding.end > finding.start);
  const borders = new Set([0, command.length]);
  for (const span of [...parts, ...findings]) borders.add(span.start).add(span.end);
  if (borders.size > MAX_BORDERS) {
    return [{ start: 0, end: command.length, text: command, tone: reviewTone(review), opens: undefined, culprit: findings.length > 0 }];
  }
  const sorted = [...borders].sort((left, right) => left - right);
  /** Innermost last: deeper parts lie above outer ones, shorter above longer. */
  const stack = parts.sort((left, right) => left.depth - right.depth || (right.end - right.start) - (left.end - left.start));
  const opened = new Set<number>();
  const segments: CommandSegment[] = [];
  for (let border = 0; border + 1 < sorted.length; border += 1) {
    const start = sorted[border] ?? 0;
    const end = sorted[border + 1] ?? command.length;
    const around = stack.filter((part) => part.start <= start && part.end >= end);
    const innermost = around.at(-1);
    const opens = innermost !== undefined && !opened.has(innermost.index) ? innermost.index : undefined;
    if (opens !== undefined) opened.add(opens);
    segments.push({
      start, end, text: command.slice(start, end),
      tone: around.some((part) => part.tone === 'blocked') ? 'blocked' : innermost?.tone,
      opens,
      culprit: findings.some((finding) => finding.start <= start && finding.end >= end),
    });
  }
  return segments;
}
