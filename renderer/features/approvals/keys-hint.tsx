import { Kbd } from '../../ui/kbd.tsx';
import { useApprovals } from './live.ts';
import { openIds } from './model.ts';

const KEYS: readonly (readonly [string, string])[] = [
  ['J', 'next'], ['Y', 'run once'], ['N', 'deny'], ['R', 'deny, say why'], ['E', 'edit'], ['A', 'always'], ['H', 'hold'],
];

/** The keys of the queue. Stands apart from the cards, so that arming one moves nothing under the pointer. */
export function KeysHint() {
  const some = useApprovals((model) => openIds(model).length > 0);
  if (!some) return null;
  return (
    <p className="flex shrink-0 flex-wrap items-center gap-x-2.5 gap-y-1 border-t border-line px-2.5 py-1.5 text-2xs text-muted">
      {KEYS.map(([key, word]) => <span key={key} className="inline-flex items-center gap-1"><Kbd keys={key} />{key === 'Y' ? <>then <Kbd keys="Enter" /></> : null}{word}</span>)}
    </p>
  );
}
