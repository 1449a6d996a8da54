import { useId } from 'react';
import { Button } from '../../ui/button.tsx';
import { Input, Select } from '../../ui/input.tsx';
import { countFilters, NO_FILTER, type SearchFilter } from './search-filter.ts';

export interface SearchFilterFormProps {
  readonly filter: SearchFilter;
  /** False where no chat is open: then there is no "this chat". */
  readonly hasChat: boolean;
  readonly onChange: (filter: SearchFilter) => void;
}

/** Whose words, which tool, when, where. Each counts at once. */
export function SearchFilterForm({ filter, hasChat, onChange }: SearchFilterFormProps) {
  const id = useId();
  const change = (next: Partial<SearchFilter>): void => { onChange({ ...filter, ...next }); };
  return (
    <div role="group" aria-label="Narrow the search" className="mx-2 mb-2 flex flex-col gap-1.5 rounded-md border border-line bg-canvas p-2 text-xs">
      <Row id={`${id}who`} label="Who">
        <Select id={`${id}who`} value={filter.who} className="w-full text-xs" onChange={(event) => { change({ who: event.target.value as SearchFilter['who'] }); /* the options below are the only values */ }}>
          <option value="">anybody</option><option value="user">you</option><option value="assistant">the agent’s replies</option><option value="tool">tools</option><option value="notice">notices</option>
        </Select>
      </Row>
      <Row id={`${id}tool`} label="Tool">
        <Input id={`${id}tool`} value={filter.tool} placeholder="any, or such as terminal" className="w-full text-xs" onChange={(event) => { change({ tool: event.target.value }); }} />
      </Row>
      <Row id={`${id}when`} label="When">
        <Select id={`${id}when`} value={filter.when} className="w-full text-xs" onChange={(event) => { change({ when: event.target.value as SearchFilter['when'] }); /* the options below are the only values */ }}>
          <option value="">any time</option><option value="today">today</option><option value="week">last seven days</option><option value="month">last 30 days</option><option value="days">between days…</option>
        </Select>
      </Row>
      {filter.when === 'days' ? (
        <>
          <Row id={`${id}from`} label="From">
            <Input id={`${id}from`} type="date" value={filter.from} max={filter.to === '' ? undefined : filter.to} className="w-full text-xs" onChange={(event) => { change({ from: event.target.value }); }} />
          </Row>
          <Row id={`${id}to`} label="To">
            <Input id={`${id}to`} type="date" value={filter.to} min={filter.from === '' ? undefined : filter.from} className="w-full text-xs" onChange={(event) => { change({ to: event.target.value }); }} />
          </Row>
        </>
      ) : null}
      <Row id={`${id}where`} label="Where">
        <Select id={`${id}where`} value={filter.here ? 'here' : ''} className="w-full text-xs" onChange={(event) => { change({ here: event.target.value === 'here' }); }}>
          <option value="">all chats</option><option value="here" disabled={!hasChat}>the open chat</option>
        </Select>
      </Row>
      {countFilters(filter) === 0 ? null : <span className="self-end"><Button size="small" tone="ghost" onClick={() => { onChange(NO_FILTER); }}>Search everything</Button></span>}
    </div>
  );
}

function Row({ id, label, children }: { readonly id: string; readonly label: string; readonly children: React.ReactNode }) {
  return <div className="flex items-center gap-1.5"><label htmlFor={id} className="w-9.5 shrink-0 text-muted">{label}</label><div className="min-w-0 flex-1">{children}</div></div>;
}
