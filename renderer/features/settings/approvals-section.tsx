import { useId } from 'react';
import type { FindingClass } from '../../../preload/contract/approvals.ts';
import { SMART_CLASSES } from '../../../preload/contract/smart-classes.ts';
import type { Settings } from '../../../preload/contract/settings.ts';
import { classNames } from '../../ui/class-names.ts';
import { InlinePanel } from '../../ui/inline-panel.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { AllowlistManager } from '../allowlist/index.tsx';
import { changeSettings, useSettings } from './live.ts';
import { NumberField } from './number-field.tsx';
import { Row } from './row.tsx';

type Mode = Settings['approvals']['mode'];

const MODES: readonly { readonly mode: Mode; readonly title: string; readonly words: string }[] = [
  { mode: 'manual', title: 'Ask me', words: 'Every command that could do harm, or that cannot be judged, stops and waits for you.' },
  { mode: 'smart', title: 'Ask a second model first', words: 'A second model looks at what stopped and may let harmless ones through. When it is unsure or cannot be reached, you are asked.' },
  { mode: 'off', title: 'Do not ask', words: 'The agent may delete files, change the system and send data without your word. Only the few commands that never run, and your own deny rules, are still stopped.' },
];

const SMART_WORDS: ReadonlyMap<FindingClass, string> = new Map([
  ['delete', 'deleting files whose every path is known and lies below the directory the command runs in'], ['processes', 'ending processes'], ['containers', 'stopping containers'],
  ['packages', 'removing packages'], ['interpreter', 'running code that stands on the command line'],
]);

export function ApprovalsSection() {
  const { settings } = useSettings();
  const name = useId();
  const timeoutId = useId();
  const locked = settings === undefined || settings.problem !== null;
  const mode = settings?.approvals.mode;
  return (
    <div className="flex flex-col gap-3">
      <fieldset className="flex flex-col gap-1.5" disabled={locked}>
        <legend className="mb-1.5 font-medium">When a command could do harm</legend>
        {MODES.map((choice) => (
          <label key={choice.mode} className={classNames('flex items-start gap-2.5 rounded-lg border px-3 py-2', mode === choice.mode ? (choice.mode === 'off' ? 'border-danger bg-danger-soft' : 'border-accent bg-accent-soft') : 'border-line hover:bg-hover')}>
            <input type="radio" name={name} value={choice.mode} checked={mode === choice.mode} className="mt-[3px] size-3.5 shrink-0 accent-accent" onChange={() => { void changeSettings({ approvalsMode: choice.mode }); }} />
            <span className="min-w-0">
              <span className={classNames('block font-medium', choice.mode === 'off' && 'text-danger')}>{choice.title}</span>
              <span className={classNames('block text-xs', mode === choice.mode ? 'text-ink' : 'text-muted')}>{choice.words}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {mode === 'smart' ? (
        <InlinePanel tone="info" title="What the second model may let through">
          Only these kinds, and never with raised rights: {SMART_CLASSES.map((kind) => SMART_WORDS.get(kind) ?? kind).join('; ')}. Everything else waits for you, whatever that model says. When it refuses three times in a row, the agent is told to stop.
        </InlinePanel>
      ) : null}
      {mode === 'off' ? <InlinePanel tone="danger" title="Nothing waits for you now">Every chat runs what the model asks for.</InlinePanel> : null}
      <div>
        <Row label="Wait for an answer" htmlFor={timeoutId} hint="After this time without an answer the command is not run: silence counts as no. “Hold” on a card stops its clock.">
          <NumberField
            id={timeoutId} min={5} max={31_536_000} unit="seconds" value={settings?.approvals.timeoutSeconds ?? 300} disabled={locked}
            onSave={(approvalsTimeoutSeconds) => { void changeSettings({ approvalsTimeoutSeconds }); }}
          />
        </Row>
        <div className="flex flex-col gap-1.5 py-2.5">
          <p className="font-medium">Deny rules</p>
          <p className="text-xs text-muted">Commands that match never run, in any mode and on any backend. These stand in config.yaml under <code>approvals.deny</code>; write more, with place, time and examples, in “Allowed for good”.</p>
          {settings === undefined || settings.approvals.deny.length === 0
            ? <p className="text-xs text-muted">There are none.</p>
            : <ul className="flex flex-wrap gap-1">{settings.approvals.deny.map((glob) => <li key={glob}><code className="rounded-sm border border-line bg-sunken px-1.5 py-px text-xs wrap-anywhere"><VisibleText text={glob} /></code></li>)}</ul>}
        </div>
      </div>
    </div>
  );
}

export function AllowlistSection() {
  return <AllowlistManager />;
}
