import { CaseSensitive, ChevronDown, ChevronUp, Regex, X } from 'lucide-react';
import { useState } from 'react';
import { IconButton } from '../../ui/icon-button.tsx';
import { Input } from '../../ui/input.tsx';
import type { Screen } from './screen/screen.ts';

export interface SearchResults { readonly index: number; readonly count: number }

/** The addon stops marking here; more are found one by one. */
const MARKED_AT_MOST = 1_000;

export function SearchBar({ screen, results, onClose }: { readonly screen: Screen | undefined; readonly results: SearchResults; readonly onClose: () => void }) {
  const [text, setText] = useState('');
  const [regex, setRegex] = useState(false);
  const [caseSensitive, setCaseSensitive] = useState(false);
  const wrong = regex && !isPattern(text);
  const find = (change: { readonly text?: string; readonly back?: boolean; readonly regex?: boolean; readonly caseSensitive?: boolean; readonly typing?: boolean }): void => {
    const wanted = { text, back: false, regex, caseSensitive, typing: false, ...change };
    screen?.find(wanted.regex && !isPattern(wanted.text) ? '' : wanted.text, wanted);
  };
  return (
    <div role="search" className="flex h-9 shrink-0 items-center gap-0.5 border-b border-line bg-panel px-2">
      <Input
        autoFocus type="search" value={text} aria-label="Search in this terminal" placeholder="Search" aria-invalid={wrong || undefined} className="h-6 flex-1 text-xs"
        onChange={(event) => { setText(event.target.value); find({ text: event.target.value, typing: true }); }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') find({ back: !event.shiftKey });
          if (event.key === 'Escape') onClose();
        }}
      />
      <span role="status" className="min-w-16 px-1 text-right text-xs text-muted tabular-nums">{countWords(text, wrong, results)}</span>
      <IconButton size="small" icon={CaseSensitive} label="Match case" aria-pressed={caseSensitive} onClick={() => { setCaseSensitive(!caseSensitive); find({ caseSensitive: !caseSensitive }); }} />
      <IconButton size="small" icon={Regex} label="Regular expression" aria-pressed={regex} onClick={() => { setRegex(!regex); find({ regex: !regex }); }} />
      <IconButton size="small" icon={ChevronUp} label="Previous match" keys="Enter" onClick={() => { find({ back: true }); }} />
      <IconButton size="small" icon={ChevronDown} label="Next match" keys="Shift+Enter" onClick={() => { find({}); }} />
      <IconButton size="small" icon={X} label="Close the search" keys="Esc" onClick={onClose} />
    </div>
  );
}

function countWords(text: string, wrong: boolean, { index, count }: SearchResults): string {
  if (text === '') return '';
  if (wrong) return 'no pattern';
  if (count === 0) return 'none';
  const total = count >= MARKED_AT_MOST ? `${MARKED_AT_MOST}+` : String(count);
  return index < 0 ? total : `${index + 1} of ${total}`;
}

function isPattern(text: string): boolean {
  try {
    return new RegExp(text) instanceof RegExp;
  } catch {
    return false; // half-typed: the field says so
  }
}
