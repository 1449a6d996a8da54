import { ListFilter, MessageSquare, Search, SquarePen, X } from 'lucide-react';
import { useCallback, useRef } from 'react';
import type { KeyboardEvent } from 'react';
import type { MessageId, SessionId } from '../../../preload/contract/index.ts';
import { bridge } from '../../bridge.ts';
import { useNow } from '../../ui/clock.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { Input } from '../../ui/input.tsx';
import { showFailure } from '../../ui/show-failure.ts';
import { useSessions, useSessionsFeature } from './context.tsx';
import { groupByAge } from './model.ts';
import { countFilters } from './search-filter.ts';
import { SearchFilterForm } from './search-filter-form.tsx';
import { searched, useSearched } from './search-store.ts';
import { SearchResults, useSearch } from './search.tsx';
import { SessionRow } from './session-row.tsx';

/** Relative times in the list are at most this old. */
const REFRESH_MS = 60_000;

export interface SessionListProps {
  readonly selected: SessionId | undefined;
  readonly onOpen: (sessionId: SessionId, messageId?: MessageId) => void;
  readonly onNew: () => void;
  readonly onSave: (sessionId: SessionId, format: 'markdown' | 'json') => void;
  readonly onDelete: (sessionId: SessionId) => void;
}

export function SessionList({ selected, onOpen, onNew, onSave, onDelete }: SessionListProps) {
  const feature = useSessionsFeature();
  const sessions = useSessions((state) => state);
  const { query, filter, filtering } = useSearched();
  const now = useNow(true, REFRESH_MS);
  const filters = countFilters(filter);
  const search = useSearch(bridge, query, filter, filter.here ? selected : undefined);
  const list = useRef<HTMLDivElement>(null);
  const rename = useCallback((id: SessionId, title: string) => {
    feature.rename(id, title).catch(showFailure);
  }, [feature]);
  const open = useCallback((id: SessionId) => { onOpen(id); }, [onOpen]);

  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="flex h-10 shrink-0 items-center gap-1 border-b border-line pr-2 pl-3">
        <h2 className="flex-1 font-medium">Chats</h2>
        <IconButton icon={SquarePen} label="New chat" keys="Mod+Shift+O" onClick={onNew} />
      </div>
      <div className="flex shrink-0 items-center gap-1 p-2">
        <div className="relative min-w-0 flex-1">
          <Search size={14} aria-hidden className="absolute top-[7px] left-2 text-faint" />
          <Input
            type="search" aria-label="Search all messages" placeholder="Search all messages" value={query}
            onChange={(event) => { searched.set({ query: event.target.value }); }}
            onKeyDown={(event) => { if (event.key === 'Escape' && query !== '') { searched.set({ query: '' }); event.stopPropagation(); } }}
            className="w-full pr-7 pl-7 [&::-webkit-search-cancel-button]:hidden"
          />
          {query === '' ? null : <IconButton size="small" icon={X} label="Clear search" onClick={() => { searched.set({ query: '' }); }} className="absolute top-0.5 right-0.5" />}
        </div>
        <span className="relative inline-flex">
          <IconButton icon={ListFilter} label={filters === 0 ? 'Narrow the search' : `Narrow the search: ${filters} set`} aria-expanded={filtering} aria-pressed={filtering} onClick={() => { searched.set({ filtering: !filtering }); }} />
          {filters === 0 ? null : <span aria-hidden className="pointer-events-none absolute top-0.5 right-0.5 size-2 rounded-full bg-accent" />}
        </span>
      </div>
      {filtering ? <SearchFilterForm filter={filter} hasChat={selected !== undefined} onChange={(next) => { searched.set({ filter: next }); }} /> : null}
      <div ref={list} onKeyDown={(event) => { moveFocus(event, list.current); }} className="min-h-0 flex-1 overflow-y-auto">
        {query.trim() !== ''
          ? <SearchResults state={search} now={now} narrowed={filters > 0} onOpen={(hit) => { onOpen(hit.sessionId, hit.messageId); }} />
          : sessions.loaded && sessions.order.length === 0
            ? <EmptyState icon={MessageSquare} title="No chats yet">What you ask and what was done stays here, on this machine.</EmptyState>
            : groupByAge(sessions, now).map((group) => (
              <section key={group.title} aria-label={group.title} className="px-2 pb-2">
                <h3 className="px-2 pt-1 pb-1 text-2xs font-medium text-faint">{group.title}</h3>
                <ul className="flex flex-col gap-px">
                  {group.ids.map((id) => (
                    <SessionRow key={id} id={id} selected={id === selected} now={now} onOpen={open} onRename={rename} onSave={onSave} onDelete={onDelete} />
                  ))}
                </ul>
              </section>
            ))}
      </div>
    </div>
  );
}

/** Arrow keys walk from row to row; Tab still reaches each. */
function moveFocus(event: KeyboardEvent, list: HTMLElement | null): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  if (step === 0 || list === null || event.target instanceof HTMLInputElement) return;
  const rows = [...list.querySelectorAll<HTMLElement>('[data-session-row]')];
  const at = rows.findIndex((row) => row === document.activeElement);
  const next = at === -1 ? undefined : rows[at + step];
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
}
