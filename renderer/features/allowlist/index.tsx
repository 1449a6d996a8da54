/** The public door of the permanent allowlist: both lists, the test box, import and export. */
import { ListChecks, Plus } from 'lucide-react';
import { useId, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { failureWords } from '../../ui/failure.ts';
import { Field } from '../../ui/field.tsx';
import { plural } from '../../ui/format.ts';
import { InlinePanel } from '../../ui/inline-panel.tsx';
import { Input } from '../../ui/input.tsx';
import { CommandTest } from './command-test.tsx';
import { EntryRow } from './entry-row.tsx';
import { Exchange } from './exchange.tsx';
import { allowlist, useAllowlist } from './live.ts';
import { matchingEntries } from './model.ts';
import { RulesList } from './rules-list.tsx';

export function AllowlistManager() {
  const { entries, status, failure } = useAllowlist();
  const headingId = useId();
  const [query, setQuery] = useState('');
  const shown = matchingEntries(entries, query);
  const warned = entries.filter((entry) => entry.warning !== undefined).length;
  return (
    <div className="flex flex-col gap-4">
      <p className="text-muted">What runs without asking, and what is always asked about or forbidden. What always stops still stops, and a removed rule counts from the next command on.</p>
      {status === 'failed' ? (
        <InlinePanel tone="danger" role="alert" title="The list could not be read" actions={<Button size="small" onClick={() => { void allowlist.reload(); }}>Try again</Button>}>{failure}</InlinePanel>
      ) : null}
      <Input type="search" value={query} aria-label="Search the rules" placeholder="Search" onChange={(event) => { setQuery(event.target.value); }} />
      <RulesList query={query} />
      <section aria-labelledby={headingId} className="flex flex-col gap-1.5">
        <h3 id={headingId} className="font-medium">Lines of config.yaml</h3>
        <p className="text-xs text-muted">
          The lines of <code>command_allowlist</code> run without asking, in every chat. Hermes reads the same list.
        </p>
        <AddEntry />
        <p role="status" className="text-xs text-muted">
          {plural(entries.length, 'entry', 'entries')}{warned === 0 ? '' : `, ${warned} worth a look`}{query === '' ? '' : `, ${shown.length} found`}
        </p>
        {status === 'ready' && entries.length === 0 ? (
          <div className="rounded-lg border border-line"><EmptyState icon={ListChecks} title="Nothing is allowed for good">“Always…” on an approval card adds a rule or a line here.</EmptyState></div>
        ) : null}
        {shown.length === 0 ? null : (
          <ul aria-label="Allowed for good" className="divide-y divide-line rounded-lg border border-line">
            {shown.map((entry) => <EntryRow key={entry.entry} entry={entry} />)}
          </ul>
        )}
      </section>
      <CommandTest />
      <Exchange />
    </div>
  );
}

function AddEntry() {
  const [text, setText] = useState('');
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(false);
  const add = (): void => {
    setBusy(true);
    allowlist.add(text.trim()).then(() => { setText(''); setError(undefined); }, (failure: unknown) => { setError(failureWords(failure)); }).finally(() => { setBusy(false); });
  };
  return (
    <form className="flex flex-col" onSubmit={(event) => { event.preventDefault(); if (text.trim() !== '') add(); }}>
      <Field label="Add a line" error={error} hint="An exact command such as git status, or a pattern such as podman *. A pattern counts only for simple commands, without ; | & or redirections.">
        {(control) => (
          <span className="flex gap-1.5">
            <Input {...control} value={text} maxLength={8_000} placeholder="podman *" className="flex-1 font-mono text-xs" onChange={(event) => { setText(event.target.value); setError(undefined); }} />
            <Button type="submit" busy={busy} disabled={text.trim() === ''} icon={<Plus size={14} aria-hidden />}>Add</Button>
          </span>
        )}
      </Field>
    </form>
  );
}
