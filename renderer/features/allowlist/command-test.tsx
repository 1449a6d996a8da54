import { useEffect, useId, useState } from 'react';
import type { BackendVerdict } from '../../../preload/contract/approval-rules.ts';
import type { CommandReview } from '../../../preload/contract/approvals.ts';
import { bridge } from '../../bridge.ts';
import { classNames } from '../../ui/class-names.ts';
import { reviewTone } from '../../ui/command-segments.ts';
import { CommandText, PartList, TONE_LOOKS } from '../../ui/command-text.tsx';
import { failureWords } from '../../ui/failure.ts';
import { Field } from '../../ui/field.tsx';
import { Textarea } from '../../ui/input.tsx';
import { BackendVerdicts } from './backend-verdicts.tsx';

/** Wait for a pause in typing. */
const TEST_AFTER_MS = 150;

const VERDICT_WORDS = { allow: 'It would run without asking.', ask: 'It would stop and ask you.', block: 'It would never run, whatever you answer.' } as const;

type TestedReview = CommandReview & { readonly backends?: readonly BackendVerdict[] | undefined };
type Tested = { readonly command: string } & ({ readonly review: TestedReview } | { readonly failure: string });

/** Type a command and see how it is read: its parts, the rule that decides each, the verdict. Nothing runs. */
export function CommandTest() {
  const headingId = useId();
  const [command, setCommand] = useState('');
  const [tested, setTested] = useState<Tested>();
  useEffect(() => {
    if (command.trim() === '') return;
    let current = true;
    const test = (): void => {
      bridge.request('allowlist.test', { command }).then(
        (review) => { if (current) setTested({ command, review }); },
        (error: unknown) => { if (current) setTested({ command, failure: failureWords(error) }); },
      );
    };
    const timer = setTimeout(test, TEST_AFTER_MS);
    /** A rule that was added or removed changes the answer at once. */
    const off = bridge.subscribe('allowlist', test);
    return () => { current = false; clearTimeout(timer); off(); };
  }, [command]);
  const shown = command.trim() === '' ? undefined : tested;
  return (
    <section aria-labelledby={headingId} className="flex flex-col gap-2 rounded-lg border border-line bg-panel p-3">
      <h3 id={headingId} className="font-medium">Test a command</h3>
      <Field label="Command" hint="Nothing runs: you only see how it is read and judged.">
        {(control) => (
          <Textarea
            {...control} rows={1} maxLength={128_000} value={command} placeholder="cd build && rm -rf *"
            className="field-sizing-content max-h-40 font-mono text-xs leading-[20px]" onChange={(event) => { setCommand(event.target.value); }}
          />
        )}
      </Field>
      <div role="status" className="flex flex-col gap-2">
        {shown === undefined ? null : 'failure' in shown ? <p className="text-xs text-danger">{shown.failure}</p> : <Result command={shown.command} review={shown.review} />}
      </div>
    </section>
  );
}

function Result({ command, review }: { readonly command: string; readonly review: TestedReview }) {
  const look = TONE_LOOKS[reviewTone(review)];
  return (
    <>
      <p className="flex flex-wrap items-center gap-x-1.5">
        <span className={classNames('inline-flex items-center gap-1 font-medium', look.text)}><look.icon size={14} aria-hidden />{look.word}</span>
        <span>{VERDICT_WORDS[review.verdict]}</span>
        {review.rule === undefined ? null : <span className="text-muted">Decided by: {review.rule}</span>}
      </p>
      <pre className="max-h-48 overflow-auto rounded-md border border-line bg-sunken px-2.5 py-1.5 text-xs leading-[20px] wrap-anywhere whitespace-pre-wrap"><code><CommandText command={command} review={review} /></code></pre>
      <PartList review={review} />
      {review.backends === undefined ? null : <BackendVerdicts backends={review.backends} />}
      {review.findings.length === 0 ? null : (
        <ul aria-label="What was found" className="flex flex-col gap-0.5 text-xs">
          {review.findings.map((finding, index) => (
            <li key={index} className="wrap-anywhere"><span className="font-medium">{finding.description}</span>{finding.effect === '' || finding.effect === finding.description ? '' : <span className="text-muted">: {finding.effect}</span>}</li>
          ))}
        </ul>
      )}
    </>
  );
}
