import { useEffect, useState } from 'react';
import type { SearchHit, SessionId, Talaria } from '../../../preload/contract/index.ts';
import { toErrorShape } from '../../bridge.ts';
import { formatWhen } from '../../ui/format.ts';
import { snippetWords, splitSnippet } from './model.ts';
import { hitWord, NO_FILTER, requestOf, type SearchFilter } from './search-filter.ts';

/** Wait for a rest in typing before the host is asked. */
const REST_MS = 120;
const MAX_HITS = 50;

export type SearchState =
  | { readonly kind: 'idle' }
  | { readonly kind: 'searching' }
  | { readonly kind: 'found'; readonly query: string; readonly hits: readonly SearchHit[] }
  | { readonly kind: 'failed'; readonly message: string };

type Answer = Extract<SearchState, { kind: 'found' | 'failed' }>;

/** Full-text search over all chats, asked again when `query` rests. What was found last stays until the next answer. `open`: the chat that is looked at. */
export function useSearch(bridge: Pick<Talaria, 'request'>, query: string, filter: SearchFilter = NO_FILTER, open?: SessionId): SearchState {
  const [answer, setAnswer] = useState<Answer>();
  const wanted = query.trim();
  useEffect(() => {
    if (wanted === '') return;
    let current = true;
    const timer = setTimeout(() => {
      bridge.request('sessions.search', { query: wanted, limit: MAX_HITS, ...requestOf(filter, Date.now(), open) }).then(
        (hits) => { if (current) setAnswer({ kind: 'found', query: wanted, hits }); },
        (error: unknown) => { if (current) setAnswer({ kind: 'failed', message: toErrorShape(error).message }); },
      );
    }, REST_MS);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [bridge, wanted, filter, open]);
  return wanted === '' ? { kind: 'idle' } : answer ?? { kind: 'searching' };
}

/** `narrowed`: some texts were not looked at. */
export function SearchResults({ state, now, narrowed, onOpen }: { readonly state: SearchState; readonly now: number; readonly narrowed: boolean; readonly onOpen: (hit: SearchHit) => void }) {
  if (state.kind === 'idle' || state.kind === 'searching') return <p className="px-3 py-2 text-xs text-muted" role="status">Searching…</p>;
  if (state.kind === 'failed') return <p className="px-3 py-2 text-xs text-danger" role="alert">{state.message}</p>;
  if (state.hits.length === 0) return <p className="px-3 py-2 text-xs text-muted" role="status">No message contains “{state.query}”{narrowed ? ' in what is searched' : ''}.</p>;
  return (
    <ul aria-label="Messages found" className="flex flex-col gap-0.5 px-2 pb-2">
      {state.hits.map((hit, index) => (
        <li key={`${hit.messageId} ${index}`}>
          <button type="button" onClick={() => { onOpen(hit); }} className="focus-inset flex w-full flex-col gap-0.5 rounded-md px-2 py-1.5 text-left hover:bg-hover">
            <span className="flex w-full items-baseline gap-2">
              <span className="min-w-0 flex-1 truncate font-medium">{hit.sessionTitle}</span>
              <span className="max-w-20 shrink-0 truncate text-2xs text-faint">{hitWord(hit)}</span>
              <span className="shrink-0 text-2xs text-faint tabular-nums">{formatWhen(hit.createdAt, now)}</span>
            </span>
            <span className="line-clamp-2 text-xs text-muted wrap-anywhere"><Snippet text={snippetWords(hit)} /></span>
          </button>
        </li>
      ))}
    </ul>
  );
}

export function Snippet({ text }: { readonly text: string }) {
  return splitSnippet(text).map((piece, index) => piece.match
    ? <mark key={index} className="rounded-sm bg-accent-soft text-accent">{piece.text}</mark>
    : <span key={index}>{piece.text}</span>);
}
