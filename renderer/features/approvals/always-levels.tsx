import { useId } from 'react';
import type { ApprovalRequest } from '../../../preload/contract/approvals.ts';
import { classNames } from '../../ui/class-names.ts';
import { VisibleText } from '../../ui/visible-text.tsx';
import { chosenLevel, levelsOf, levelWords, wayOf } from './always-form.ts';
import type { AlwaysForm } from './always-form.ts';
import { entryMeaning } from './words.ts';

interface LevelsProps {
  readonly request: ApprovalRequest;
  readonly form: AlwaysForm;
  readonly onChange: (next: (form: AlwaysForm) => AlwaysForm) => void;
}

/** From exactly this command to the widest rule the host would take, and at the end the lines of config.yaml. */
export function AlwaysLevels({ request, form, onChange }: LevelsProps) {
  const name = useId();
  const way = wayOf(form);
  const chosen = chosenLevel(form);
  const { offer } = form;
  const refused = offer.state === 'failed' ? offer.why : offer.state === 'ready' ? offer.preview.refused : undefined;
  return (
    <fieldset className="flex min-w-0 flex-col gap-1">
      <legend className="mb-1 text-xs font-medium">How general</legend>
      {offer.state === 'loading' ? <p role="status" className="text-xs text-muted">Looking at which rules can be made of it…</p> : null}
      {refused === undefined ? null : <p role="status" className="text-xs wrap-anywhere text-warn">{refused}</p>}
      {levelsOf(form).map((level) => (
        <Choice
          key={level.id} name={name} checked={way === 'rule' && chosen?.id === level.id} texts={level.texts} words={levelWords(level)}
          onChoose={() => { onChange((before) => ({ ...before, way: 'rule', level: level.id })); }}
        />
      ))}
      {request.alwaysEntries.length === 0 ? null : (
        <Choice
          name={name} checked={way === 'config'} texts={request.alwaysEntries} isConfig
          words={`lets through ${request.alwaysEntries.length === 1 ? entryMeaning(request.alwaysEntries[0] ?? '', request) : 'what each of these lines stands for, in every chat'}; kept in config.yaml`}
          onChoose={() => { onChange((before) => ({ ...before, way: 'config' })); }}
        />
      )}
    </fieldset>
  );
}

function Choice({ name, checked, texts, words, isConfig = false, onChoose }: {
  readonly name: string; readonly checked: boolean; readonly texts: readonly string[]; readonly words: string; readonly isConfig?: boolean; readonly onChoose: () => void;
}) {
  return (
    <label className={classNames('flex items-start gap-2 rounded-md border px-2 py-1', checked ? 'border-accent bg-accent-soft' : 'border-line hover:bg-hover')}>
      <input type="radio" name={name} checked={checked} onChange={onChoose} className="mt-[3px] size-3.5 shrink-0 accent-accent" />
      <span className="min-w-0 flex-1">
        {texts.map((text) => <code key={text} data-rule={isConfig ? 'config' : 'own'} className="block text-xs leading-[18px] wrap-anywhere whitespace-pre-wrap"><VisibleText text={text} /></code>)}
        <span className={classNames('block text-xs', checked ? 'text-ink' : 'text-muted')}>{words}</span>
      </span>
    </label>
  );
}
