import { CircleCheck, CircleMinus, CircleX } from 'lucide-react';
import type { ModelTestStep } from '../../../preload/contract/index.ts';
import { classNames } from '../../ui/class-names.ts';
import { formatDuration } from '../../ui/format.ts';

const NAMES: Record<ModelTestStep['step'], string> = { reach: 'Reach the server', reply: 'Get a reply', stream: 'Stream a reply', 'tool-call': 'Call a tool' };
const LOOK = {
  ok: { icon: CircleCheck, color: 'text-ok', word: 'works' },
  failed: { icon: CircleX, color: 'text-danger', word: 'failed' },
  skipped: { icon: CircleMinus, color: 'text-faint', word: 'not tried' },
} as const;

/** What a test of a connection found, step by step. */
export function TestSteps({ steps }: { readonly steps: readonly ModelTestStep[] }) {
  return (
    <ol aria-label="Result of the test" className="flex flex-col gap-1.5 rounded-md border border-line bg-panel px-3 py-2">
      {steps.map((step) => {
        const { icon: Icon, color, word } = LOOK[step.state];
        return (
          <li key={step.step} className="flex items-start gap-2">
            <Icon size={16} aria-hidden className={classNames('mt-0.5 shrink-0', color)} />
            <div className="min-w-0 flex-1">
              <p><span className="font-medium">{NAMES[step.step]}</span>: <span className={color}>{word}</span>{step.state === 'skipped' ? <span className="sr-only">. {step.message}</span> : null}</p>
              {step.state === 'skipped' ? null : <p className="text-xs text-muted wrap-anywhere">{step.message}</p>}
              {step.hint === undefined ? null : <p className="text-xs text-muted wrap-anywhere">{step.hint}</p>}
            </div>
            {step.state === 'skipped' ? null : <span className="text-2xs text-faint tabular-nums">{formatDuration(step.durationMs)}</span>}
          </li>
        );
      })}
    </ol>
  );
}
