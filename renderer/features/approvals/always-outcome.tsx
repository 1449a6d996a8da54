import { TriangleAlert } from 'lucide-react';
import { VisibleText } from '../../ui/visible-text.tsx';
import { alsoAllowedWords, chosenLevel, wayOf } from './always-form.ts';
import type { AlwaysForm } from './always-form.ts';

/** What the chosen rule would have let through besides, and what would still ask. */
export function AlwaysOutcome({ form }: { readonly form: AlwaysForm }) {
  if (wayOf(form) === 'config') return null;
  const level = chosenLevel(form);
  if (level === undefined) return null;
  return (
    <div className="flex flex-col gap-1.5 text-xs">
      {level.warnings.map((warning) => <p key={warning} className="flex items-start gap-1 wrap-anywhere text-warn"><TriangleAlert size={12} aria-hidden className="mt-0.5 shrink-0" />{warning}</p>)}
      <div>
        <p className="text-muted">{alsoAllowedWords(level)}</p>
        <Commands commands={level.alsoAllowed.commands} more={level.alsoAllowed.count - level.alsoAllowed.commands.length} />
      </div>
      {level.stillAsks.length === 0 ? <p className="text-muted">Nothing in this line would still ask.</p> : (
        <div>
          <p className="text-warn">This line would still ask, because of:</p>
          <ul>{level.stillAsks.map(({ text, why }, index) => <li key={index} className="wrap-anywhere"><code><VisibleText text={text} /></code> <span className="text-muted">({why})</span></li>)}</ul>
        </div>
      )}
    </div>
  );
}

function Commands({ commands, more }: { readonly commands: readonly string[]; readonly more: number }) {
  if (commands.length === 0) return null;
  return (
    <ul>
      {commands.map((command) => <li key={command} className="truncate" title={command.slice(0, 500)}><code><VisibleText text={command.slice(0, 300)} /></code></li>)}
      {more > 0 ? <li className="text-muted">and {more} more</li> : null}
    </ul>
  );
}
