import type { BackendVerdict } from '../../../preload/contract/approval-rules.ts';

const WORDS = { allow: { word: 'runs', look: 'text-ok' }, ask: { word: 'asks', look: 'text-warn' }, block: { word: 'never runs', look: 'text-danger' } } as const;

/** Backends where the same is decided for the same reason, in the order of the first of each. */
export function sameVerdicts(backends: readonly BackendVerdict[]): readonly (Omit<BackendVerdict, 'backend'> & { readonly backends: readonly string[] })[] {
  const groups = Map.groupBy(backends, ({ verdict, rule }) => `${verdict} ${rule ?? ''}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    return first === undefined ? [] : [{ verdict: first.verdict, rule: first.rule, backends: group.map(({ backend }) => backend) }];
  });
}

/** The same command on each backend, with the rule that decides there. */
export function BackendVerdicts({ backends }: { readonly backends: readonly BackendVerdict[] }) {
  return (
    <div>
      <p className="text-xs font-medium">On each backend</p>
      <ul aria-label="On each backend" className="flex flex-col gap-y-0.5 text-xs">
        {sameVerdicts(backends).map(({ backends: names, verdict, rule }) => (
          <li key={names[0]} className="wrap-anywhere">{names.join(', ')}: <span className={`font-medium ${WORDS[verdict].look}`}>{WORDS[verdict].word}</span>{rule === undefined ? null : <span className="text-muted"> ({rule})</span>}</li>
        ))}
      </ul>
    </div>
  );
}
