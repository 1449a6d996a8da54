import { useState } from 'react';
import type { KeyboardEvent } from 'react';
import { classNames } from '../../ui/class-names.ts';
import { VisibleText } from '../../ui/visible-text.tsx';

export interface Choice {
  readonly label: string;
  readonly description: string;
  /** Told apart by this where labels may be the same; else by the label. */
  readonly id?: string;
  /** What the field holds afterwards; a choice that runs something empties it. */
  readonly choose: () => void;
}

export interface Completion {
  readonly choices: readonly Choice[];
  readonly selected: number;
  /** True when the key was for the menu. */
  onKeyDown(event: KeyboardEvent): boolean;
  readonly fieldProps: { readonly 'aria-controls'?: string; readonly 'aria-activedescendant'?: string; readonly 'aria-autocomplete'?: 'list' };
}

const MENU_ID = 'composer-suggestions';

/** The list above the composer and the keys that walk through it. `typed` is what it belongs to: another text begins at the top again. */
export function useCompletion(typed: string, offered: readonly Choice[]): Completion {
  const [at, setAt] = useState({ typed, index: 0, closed: false });
  const here = at.typed === typed ? at : { typed, index: 0, closed: false };
  const choices = here.closed ? [] : offered;
  const selected = Math.min(here.index, Math.max(0, choices.length - 1));

  const onKeyDown = (event: KeyboardEvent): boolean => {
    if (choices.length === 0) return false;
    const exact = choices.find((choice) => choice.label === typed.trim());
    switch (event.key) {
      case 'ArrowDown': setAt({ ...here, index: (selected + 1) % choices.length }); break;
      case 'ArrowUp': setAt({ ...here, index: (selected + choices.length - 1) % choices.length }); break;
      case 'Escape': setAt({ ...here, closed: true }); break;
      case 'Tab':
        if (event.shiftKey) return false;
        choices[selected]?.choose();
        break;
      case 'Enter':
        if (event.shiftKey || event.ctrlKey || event.metaKey) return false;
        (here.index === 0 && exact !== undefined ? exact : choices[selected])?.choose();
        break;
      default: return false;
    }
    event.preventDefault();
    return true;
  };
  return {
    choices, selected, onKeyDown,
    fieldProps: choices.length > 0 ? { 'aria-autocomplete': 'list', 'aria-controls': MENU_ID, 'aria-activedescendant': `${MENU_ID}-${selected}` } : {},
  };
}

export interface CompletionListProps {
  readonly menu: Completion;
  /** A sentence below the choices, or in their place. */
  readonly note?: string | undefined;
  readonly tone?: 'muted' | 'danger';
}

export function CompletionList({ menu, note, tone = 'muted' }: CompletionListProps) {
  const words = note === undefined ? null : <p role="status" className={classNames('px-2 py-1 text-xs wrap-anywhere', tone === 'danger' ? 'text-danger' : 'text-muted')}>{note}</p>;
  if (menu.choices.length === 0 && words === null) return null;
  return (
    <div className="absolute inset-x-0 bottom-full z-20 mb-1 rounded-lg border border-line bg-raised p-1 shadow-raised">
      {menu.choices.length === 0 ? null : (
        <ul id={MENU_ID} role="listbox" aria-label="Suggestions" className="max-h-64 overflow-y-auto">
          {menu.choices.map((choice, index) => (
            <li
              key={choice.id ?? choice.label} id={`${MENU_ID}-${index}`} role="option" aria-selected={index === menu.selected}
              ref={index === menu.selected ? intoSight : undefined}
              onMouseDown={(event) => { event.preventDefault(); choice.choose(); }}
              className={classNames('flex h-7 items-center gap-3 rounded-md px-2', index === menu.selected ? 'bg-hover' : 'hover:bg-hover')}
            >
              <span className="max-w-[60%] shrink-0 truncate font-mono text-xs"><VisibleText text={choice.label} /></span>
              <span className="min-w-0 flex-1 truncate text-xs text-muted"><VisibleText text={choice.description} /></span>
            </li>
          ))}
        </ul>
      )}
      {words}
    </div>
  );
}

function intoSight(option: HTMLElement | null): void {
  option?.scrollIntoView({ block: 'nearest' });
}
