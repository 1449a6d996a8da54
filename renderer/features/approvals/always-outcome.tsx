import { TriangleAlert } from 'lucide-react';
import type { ApprovalRequest } from '../../../preload/contract/approvals.ts';
import { VisibleText } from '../../ui/visible-text.tsx';
import { alsoAllowedWords, chosenLevel, reachWords, wayOf } from './always-form.ts';
import type { AlwaysForm } from './always-form.ts';

/** What will be saved, word for word, what it would have let through besides, and what still asks. */
export function AlwaysOutcome({ request, form }: { readonly request: ApprovalRequest; readonly form: AlwaysForm }) {
  if (wayOf(form) === 'config') {
    return (
      <p className="text-xs text-muted">
        {request.alwaysEntries.length === 1 ? 'This line is' : `These ${request.alwaysEntries.length} lines are`} added to <code>command_allowlist</code> in config.yaml, for every chat and every backend, for good. Hermes reads the same list.
        It counts from the next command on, and can be removed in Settings at any time.
      </p>
    );
  }
  const level = chosenLevel(form);
  if (level === undefined) return null;
  const path = [...new Set(level.drafts.flatMap((draft) => (draft.path === null ? [] : [draft.path])))];
  return (
    <div className="flex flex-col gap-1.5 text-xs">
      <div data-saved="">
        <p className="font-medium">What is saved</p>
        <p className="wrap-anywhere">
          Allow {level.texts.map((text, index) => <span key={text}>{index === 0 ? '' : ' and '}<code className="whitespace-pre-wrap"><VisibleText text={text} /></code></span>)}
          {' '}{reachWords(form, request)}{path.length === 0 ? '' : `, while the program is ${path.join(', ')}`}.
          {level.texts.some((text) => text.endsWith('…')) ? ' “…” stands for any further words.' : ''}
          {' '}It counts from the next command on, and can be removed in Settings at any time.
        </p>
      </div>
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
