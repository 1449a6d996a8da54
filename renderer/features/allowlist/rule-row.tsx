import { Pencil, Trash2, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import type { ApprovalRule, ListedRule } from '../../../preload/contract/approval-rules.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { useNow } from '../../ui/clock.ts';
import { failureWords } from '../../ui/failure.ts';
import { plural } from '../../ui/format.ts';
import { useFrame } from '../../ui/frame.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { toasts } from '../../ui/toasts.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { RuleForm } from './rule-form.tsx';
import { rules } from './rules-live.ts';
import { EFFECTS, limitWords, matchText, originWords } from './rules-model.ts';

export function RuleRow({ listed }: { readonly listed: ListedRule }) {
  const now = useNow(false);
  const frame = useFrame();
  const { rule, holds, remarks } = listed;
  const effect = EFFECTS[rule.kind];
  const text = matchText(rule);
  const { createdIn, createdFrom, examples } = rule;
  const [editing, setEditing] = useState(false);
  if (editing) return <li data-rule={rule.id} className="p-2"><RuleForm rule={rule} onSave={(draft) => rules.update(rule.id, draft)} onClose={() => { setEditing(false); }} /></li>;
  return (
    <li className="flex items-start gap-2 px-3 py-2" data-rule={rule.id}>
      <span className="mt-px w-12 shrink-0" title={effect.meaning}><Badge tone={holds ? effect.tone : 'neutral'}>{effect.word}</Badge></span>
      <div className="flex min-w-0 flex-1 flex-col gap-0.5">
        <code className="text-xs leading-[18px] wrap-anywhere whitespace-pre-wrap"><VisibleText text={text} /></code>
        <p className="text-xs wrap-anywhere text-muted">{limitWords(rule).join(' · ')}{holds ? '' : ' · does not hold now'}</p>
        <p className="text-xs text-muted">
          {originWords(rule, now).join(' · ')}
          {createdIn === null ? null : <>{' · '}<button type="button" className="rounded-sm text-accent hover:underline" onClick={() => { frame.openSession(createdIn); }}>show the chat</button></>}
        </p>
        {createdFrom === null || createdFrom === text ? null : <p className="truncate text-xs text-muted" title={createdFrom.slice(0, 500)}>made for <code><VisibleText text={createdFrom.slice(0, 300)} /></code></p>}
        {examples.matches.length + examples.not.length === 0 ? null : (
          <p className="text-xs wrap-anywhere text-muted" title={[...examples.matches.map((each) => `must match: ${each}`), ...examples.not.map((each) => `must never match: ${each}`)].join('\n')}>
            {plural(examples.matches.length + examples.not.length, 'example')}, checked whenever rules are read
          </p>
        )}
        {remarks.map((remark) => (
          <p key={`${remark.kind} ${remark.text}`} className="flex items-start gap-1 text-xs text-warn">
            <TriangleAlert size={12} aria-hidden className="mt-0.5 shrink-0" /><span className="min-w-0 wrap-anywhere">{remark.text}</span>
          </p>
        ))}
        {remarks.length === 0 ? null : <Button size="small" className="self-start" onClick={() => { removeRules([rule]); }}>Remove this rule</Button>}
      </div>
      <IconButton size="small" icon={Pencil} label={`Change the rule ${rule.kind} ${text.slice(0, 80)}`} onClick={() => { setEditing(true); }} />
      <IconButton size="small" icon={Trash2} label={`Remove the rule ${rule.kind} ${text.slice(0, 80)}`} onClick={() => { removeRules([rule]); }} />
    </li>
  );
}

/** Removes them and offers to bring them back. */
export function removeRules(gone: readonly ApprovalRule[]): void {
  const tell = (what: string, error: unknown): void => { toasts.getState().show({ text: `${what}: ${failureWords(error)}`, tone: 'danger' }); };
  rules.remove(gone).then(
    () => {
      const first = gone[0];
      const what = gone.length === 1 && first !== undefined ? `the rule ${first.kind} ${matchText(first).slice(0, 60)}` : plural(gone.length, 'rule');
      toasts.getState().show({
        text: `Removed ${what}: it counts from the next command on`,
        undo: { label: 'Undo', run: () => { rules.restore(gone).catch((error: unknown) => { tell('Not restored', error); }); } },
      });
    },
    (error: unknown) => { tell('Not removed', error); },
  );
}
