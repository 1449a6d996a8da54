/** Makes a chat fit the model's window: old tool output goes first, then the oldest messages; the recent end stays word for word. */
import { estimateRequestTokens } from '../models/tokens.ts';
import type { ModelMessage, ModelTool } from '../models/types.ts';
import { isPicture, type AttachedView } from './attached.ts';
import { buildTranscript, type TranscriptRow, type TrimState } from './transcript.ts';

/** Estimates are rough and the reply needs room too: trim before the window is full. */
const FULL_SHARE = 0.85;
/** Trimming goes down to this share, so that it is not needed again at once (each time breaks the server's prompt cache). */
const TARGET_SHARE = 0.6;

export interface Window {
  /** Tokens the model can read. */
  readonly contextTokens: number;
  readonly system: ModelMessage;
  readonly tools: readonly ModelTool[];
  /** Absent: no pictures go along. */
  readonly attached?: AttachedView;
}

/** Estimated tokens of the request as it would go out now. */
export function tokensOf(rows: readonly TranscriptRow[], trim: TrimState, window: Window): number {
  return estimateRequestTokens([window.system, ...buildTranscript(rows, trim, window.attached)], window.tools);
}

export function isTooLong(rows: readonly TranscriptRow[], trim: TrimState, window: Window): boolean {
  return tokensOf(rows, trim, window) > window.contextTokens * FULL_SHARE;
}

/** First of `candidates` (each trims more than the one before) that reaches `limit`; else the last one. */
function firstFitting(candidates: readonly TrimState[], rows: readonly TranscriptRow[], window: Window, limit: number): { state: TrimState; fits: boolean } | undefined {
  const last = candidates.at(-1);
  if (!last) return undefined;
  let low = 0;
  let high = candidates.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const candidate = candidates[middle] ?? last;
    if (tokensOf(rows, candidate, window) <= limit) high = middle;
    else low = middle + 1;
  }
  return low < candidates.length ? { state: candidates[low] ?? last, fits: true } : { state: last, fits: false };
}

/**
 * The next, stricter trim that fits; undefined when nothing more can be left out. The last turn's messages are never
 * dropped, and the outputs of its newest message are shortened last of all.
 */
export function tighten(rows: readonly TranscriptRow[], current: TrimState, window: Window): TrimState | undefined {
  const limit = window.contextTokens * TARGET_SHARE;
  const sees = window.attached?.sees === true;
  const withCalls = rows.filter((row) => row.calls.length > 0 || (sees && row.attachments?.some(isPicture) === true)).map((row) => row.seq);
  const newest = withCalls.at(-1);
  const outputs = withCalls
    .map((seq) => ({ ...current, outputsBefore: seq }))
    .filter((state) => state.outputsBefore > current.outputsBefore);
  const shortened = firstFitting(outputs, rows, window, limit);
  if (shortened?.fits) return shortened.state;

  const base = shortened?.state ?? current;
  const lastTurn = rows.findLast((row) => row.role === 'user' && row.state !== 'queued')?.turn;
  const starts = rows.filter((row) => row.role === 'user' && row.state !== 'queued' && row.turn <= (lastTurn ?? 0)).map((row) => row.seq);
  const drops = starts.map((seq) => ({ ...base, messagesBefore: seq })).filter((state) => state.messagesBefore > Math.max(current.messagesBefore, starts[0] ?? 0));
  const dropped = firstFitting(drops, rows, window, limit);
  if (dropped?.fits) return dropped.state;

  const strictest = dropped?.state ?? base;
  const all = newest === undefined ? strictest : { ...strictest, outputsBefore: Math.max(strictest.outputsBefore, newest + 1) };
  const changed = all.outputsBefore !== current.outputsBefore || all.messagesBefore !== current.messagesBefore;
  return changed && tokensOf(rows, all, window) < tokensOf(rows, current, window) ? all : undefined;
}

/** The window that a server names in its refusal ("maximum context length is 8192 tokens"); undefined when it names none. */
export function windowFromError(message: string): number | undefined {
  const named = /(?:maximum context length|context (?:length|window|size)|n_ctx)\D{0,40}?(\d{3,8})/i.exec(message)?.[1];
  return named === undefined ? undefined : Number(named);
}
