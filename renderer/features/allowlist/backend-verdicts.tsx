import type { BackendVerdict } from '../../../preload/contract/approval-rules.ts';

const WORDS = { allow: { word: 'runs', look: 'text-ok' }, ask: { word: 'asks', look: 'text-warn' }, block: { word: 'never runs', look: 'text-danger' } } as const;

/** The same command on each backend, with the rule that decides there. */
export function BackendVerdicts({ backends }: { readonly backends: readonly BackendVerdict[] }) {
  return (
    <div>
      <p className="text-xs font-medium">On each backend</p>
      <ul aria-label="On each backend" className="flex flex-wrap gap-x-4 gap-y-0.5 text-xs">
        {backends.map(({ backend, verdict, rule }) => (
          <li key={backend} className="wrap-anywhere">{backend}: <span className={`font-medium ${WORDS[verdict].look}`}>{WORDS[verdict].word}</span>{rule === undefined ? null : <span className="text-muted"> ({rule})</span>}</li>
        ))}
      </ul>
    </div>
  );
}
