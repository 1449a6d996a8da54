import { Tabs as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { Badge } from './badge.tsx';

export interface TabSpec<Id extends string> {
  readonly id: Id;
  readonly title: string;
  /** A number beside the title; left out at zero. */
  readonly count?: number;
  /** What the number counts, for a screen reader: "waiting for you". */
  readonly countMeans?: string;
  readonly tone?: 'neutral' | 'warn';
  readonly content: ReactNode;
}

export interface TabsProps<Id extends string> {
  readonly label: string;
  readonly tabs: readonly TabSpec<Id>[];
  readonly selected: Id;
  readonly onSelect: (id: Id) => void;
  /** Stands at the right end of the tab row. */
  readonly actions?: ReactNode;
}

/** A tab row and the panel below it. Panels stay mounted, so that a terminal keeps its screen. */
export function Tabs<Id extends string>({ label, tabs, selected, onSelect, actions }: TabsProps<Id>) {
  const select = (id: string): void => {
    const tab = tabs.find((candidate) => candidate.id === id);
    if (tab !== undefined) onSelect(tab.id);
  };
  return (
    <Radix.Root value={selected} onValueChange={select} className="flex h-full min-h-0 flex-col">
      <div className="flex h-10 shrink-0 items-center gap-1 border-b border-line px-2">
        <Radix.List aria-label={label} className="flex min-w-0 flex-1 items-center gap-0.5">
          {tabs.map((tab) => (
            <Radix.Trigger
              key={tab.id} value={tab.id}
              className="focus-inset flex h-7 items-center gap-1.5 rounded-md px-2 text-sm font-medium text-muted hover:text-ink data-[state=active]:bg-selected data-[state=active]:text-ink"
            >
              {tab.title}
              {tab.count === undefined || tab.count === 0 ? null : (
                <Badge tone={tab.tone ?? 'neutral'}>
                  {tab.count}
                  {tab.countMeans === undefined ? null : <span className="sr-only"> {tab.countMeans}</span>}
                </Badge>
              )}
            </Radix.Trigger>
          ))}
        </Radix.List>
        {actions}
      </div>
      {tabs.map((tab) => (
        <Radix.Content key={tab.id} value={tab.id} forceMount tabIndex={-1} className="min-h-0 flex-1 data-[state=inactive]:hidden">
          {tab.content}
        </Radix.Content>
      ))}
    </Radix.Root>
  );
}
