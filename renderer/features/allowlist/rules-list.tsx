import { Plus } from 'lucide-react';
import { useId, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { plural } from '../../ui/format.ts';
import { InlinePanel } from '../../ui/inline-panel.tsx';
import { RuleForm } from './rule-form.tsx';
import { removeRules, RuleRow } from './rule-row.tsx';
import { rules, useRules } from './rules-live.ts';
import { idleRules, matchingRules } from './rules-model.ts';

/** The rules that Talaria keeps itself: what each does, where, how long, where it came from, and what is odd about it. */
export function RulesList({ query }: { readonly query: string }) {
  const headingId = useId();
  const { rules: all, status, failure } = useRules();
  const [writing, setWriting] = useState(false);
  const shown = matchingRules(all, query);
  const remarked = all.filter(({ remarks }) => remarks.length > 0).length;
  const idle = idleRules(all);
  return (
    <section aria-labelledby={headingId} className="flex flex-col gap-1.5">
      <h3 id={headingId} className="font-medium">Rules of Talaria</h3>
      <p className="text-xs text-muted">Made with “Always…” on a card, for one command, place and time, or written here. A rule that denies or asks wins over one that allows.</p>
      {status === 'failed' ? (
        <InlinePanel tone="danger" role="alert" title="The rules could not be read" actions={<Button size="small" onClick={() => { void rules.reload(); }}>Try again</Button>}>{failure}</InlinePanel>
      ) : null}
      <div className="flex min-h-6 flex-wrap items-center gap-2">
        <p role="status" className="flex-1 text-xs text-muted">{plural(all.length, 'rule')}{remarked === 0 ? '' : `, ${remarked} worth a look`}{query === '' ? '' : `, ${shown.length} found`}</p>
        {writing ? null : <Button size="small" icon={<Plus size={12} aria-hidden />} onClick={() => { setWriting(true); }}>Write a rule that denies or asks</Button>}
        {idle.length === 0 ? null : <Button size="small" onClick={() => { removeRules(idle.map(({ rule }) => rule)); }}>Remove {plural(idle.length, 'rule')} without effect</Button>}
      </div>
      {writing ? <RuleForm onSave={(draft) => rules.add(draft)} onClose={() => { setWriting(false); }} /> : null}
      {shown.length === 0 ? null : (
        <ul aria-label="Rules of Talaria" className="divide-y divide-line rounded-lg border border-line">
          {shown.map((listed) => <RuleRow key={listed.rule.id} listed={listed} />)}
        </ul>
      )}
    </section>
  );
}
