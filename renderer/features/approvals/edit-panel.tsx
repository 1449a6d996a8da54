import { useEffect, useState } from 'react';
import type { CommandReview } from '../../../preload/contract/approvals.ts';
import { bridge } from '../../bridge.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { TONE_LOOKS } from '../../ui/command-text.tsx';
import { reviewTone } from '../../ui/command-segments.ts';
import { failureWords } from '../../ui/failure.ts';
import { Field } from '../../ui/field.tsx';
import { Textarea } from '../../ui/input.tsx';
import { Kbd } from '../../ui/kbd.tsx';
import { GuardedButton } from './guarded-button.tsx';
import { update, useApprovals } from './live.ts';
import type { CardStep } from './model.ts';
import { mustReadFirst, withStep } from './model.ts';
import { ConfirmHint } from './panel.tsx';
import type { PanelProps } from './panel.tsx';

/** The contract's limit. */
const MAX_COMMAND_CHARS = 128_000;
/** Wait for a pause in typing before the text is judged again. */
const JUDGE_AFTER_MS = 200;

/** Change the command before it runs. The host judges the changed text anew; a stricter one is refused there. */
export function EditPanel({ request, guard, busy, step, onAnswer, onRefused, onClose }: PanelProps & { readonly step: Extract<CardStep, { kind: 'edit' }> }) {
  const changed = step.text !== request.command;
  const judged = useJudged(step.text, request.backend, request.sessionId);
  const blank = step.text.trim() === '';
  const unread = useApprovals((model) => mustReadFirst(model, request));
  const run = (): void => { onAnswer(changed ? { choice: 'once', editedCommand: step.text } : { choice: 'once' }); };
  return (
    <div role="group" aria-label="Edit the command" className="flex flex-col gap-2">
      <Field label={<span className="flex items-center gap-1.5">Command to run instead {changed ? <Badge tone="accent">Modified by you</Badge> : null}</span>} hint={<Judgement changed={changed} judged={judged} />}>
        {(control) => (
          <Textarea
            {...control} autoFocus maxLength={MAX_COMMAND_CHARS} value={step.text} rows={2} className="field-sizing-content max-h-[30vh] font-mono text-xs leading-[20px]"
            onChange={(event) => { const text = event.target.value; update((model) => withStep(model, { ...step, text, confirm: false })); }}
            onKeyDown={(event) => {
              if (event.key === 'Escape') onClose();
              if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !event.repeat && !blank && !unread && guard.accepts(event.timeStamp)) run();
            }}
          />
        )}
      </Field>
      <div className="flex flex-wrap items-center gap-1.5">
        <GuardedButton guard={guard} busy={busy} approves tone="primary" disabled={blank || unread} {...(unread ? { title: 'Read the command to its end first' } : {})} onRefused={onRefused} onPress={run}>{changed ? 'Run the edited command once' : 'Run once'}</GuardedButton>
        {changed ? <Button onClick={() => { update((model) => withStep(model, { ...step, text: request.command, confirm: false })); }}>Reset to the agent’s</Button> : null}
        <Button onClick={onClose}>Back</Button>
        {step.confirm ? <ConfirmHint what="run it once" /> : <span className="inline-flex items-center gap-1 text-xs text-muted"><Kbd keys="Mod+Enter" />runs it</span>}
      </div>
    </div>
  );
}

type Judged = { readonly text: string; readonly review: CommandReview } | { readonly text: string; readonly failure: string };

function useJudged(text: string, backend: string, sessionId: string): Judged | undefined {
  const [judged, setJudged] = useState<Judged>();
  useEffect(() => {
    if (text.trim() === '') return;
    let current = true;
    const timer = setTimeout(() => {
      bridge.request('allowlist.test', { command: text, backend, sessionId }).then(
        (review) => { if (current) setJudged({ text, review }); },
        (error: unknown) => { if (current) setJudged({ text, failure: failureWords(error) }); },
      );
    }, JUDGE_AFTER_MS);
    return () => { current = false; clearTimeout(timer); };
  }, [text, backend, sessionId]);
  return judged !== undefined && judged.text === text ? judged : undefined;
}

function Judgement({ changed, judged }: { readonly changed: boolean; readonly judged: Judged | undefined }) {
  if (!changed) return 'The text is judged again as you type.';
  if (judged === undefined) return 'Judging…';
  if ('failure' in judged) return <span className="text-danger">{judged.failure}</span>;
  const look = TONE_LOOKS[reviewTone(judged.review)];
  const reasons = judged.review.findings.map((finding) => finding.description).join(', ');
  return (
    <span className="inline-flex flex-wrap items-center gap-1">
      Now judged: <span className={`inline-flex items-center gap-1 font-medium ${look.text}`}><look.icon size={12} aria-hidden />{look.word}</span>
      {reasons === '' ? null : <span>({reasons})</span>}
    </span>
  );
}
