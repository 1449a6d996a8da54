import type { ApprovalRequest } from '../../../preload/contract/approvals.ts';
import { VisibleText } from '../../ui/visible-text.tsx';
import { chosenLevel, reachWords, wayOf } from './always-form.ts';
import type { AlwaysForm } from './always-form.ts';

/** Word for word what "Save and run" will save. Always in sight and always as tall, right above the button. */
export function AlwaysSaved({ request, form }: { readonly request: ApprovalRequest; readonly form: AlwaysForm }) {
  return (
    <div data-saved="" role="group" aria-label="What is saved" tabIndex={0} className="focus-inset h-18 overflow-y-auto rounded-md border border-line bg-sunken px-2 py-1 text-xs leading-4 wrap-anywhere">
      <Sentence request={request} form={form} />
    </div>
  );
}

function Sentence({ request, form }: { readonly request: ApprovalRequest; readonly form: AlwaysForm }) {
  if (wayOf(form) === 'config') {
    return (
      <p>
        <span className="font-medium">Saved: </span>
        {request.alwaysEntries.length === 1 ? 'this line' : `these ${request.alwaysEntries.length} lines`} in <code>command_allowlist</code> of config.yaml, for every chat and every backend, for good. Hermes reads the same list. Can be removed in Settings.
      </p>
    );
  }
  const level = chosenLevel(form);
  if (level === undefined) return <p className="text-muted">Nothing yet.</p>;
  const paths = [...new Set(level.drafts.flatMap((draft) => (draft.path === null ? [] : [draft.path])))];
  return (
    <p>
      <span className="font-medium">Saved: </span>
      allow {level.texts.map((text, index) => <span key={text}>{index === 0 ? '' : ' and '}<code className="whitespace-pre-wrap"><VisibleText text={text} /></code></span>)}
      {' '}{reachWords(form, request)}{paths.length === 0 ? '' : `, while the program is ${paths.join(', ')}`}.
      {level.drafts.some(({ anyArgs }) => anyArgs) ? ' “…” stands for any further words.' : ''} Counts from the next command on; can be removed in Settings.
    </p>
  );
}
