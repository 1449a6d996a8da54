import { useEffect, useId, useRef, useState } from 'react';
import type { SyntheticEvent } from 'react';
import type { ErrorShape, ModelConnection, ModelTestStep } from '../../../preload/contract/index.ts';
import { toErrorShape } from '../../bridge.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { InlinePanel } from '../../ui/inline-panel.tsx';
import { Input } from '../../ui/input.tsx';
import { toasts } from '../../ui/toasts.tsx';
import { readAddress, sendsKeyInClear, withVersion } from './address.ts';
import { useModelsFeature } from './context.tsx';
import type { Connection } from './store.ts';
import { TestSteps } from './test-steps.tsx';

interface Draft {
  readonly baseUrl: string;
  readonly model: string;
  /** Empty and untouched keeps the stored key. */
  readonly key: string;
  readonly keyTouched: boolean;
}

/** What a server says of a path that it does not have: no such route, or a page for people. */
const WRONG_PATH: readonly string[] = ['model/not-found', 'model/bad-reply'];
const NO_MODELS: ErrorShape = { code: 'model/not-found', message: 'This server answers, but lists no models.', hint: 'Enter the name of a model as the server calls it. The base URL usually ends in /v1.' };

export interface ConnectFormProps {
  /** What stands in the fields at first: the stored connection or a found server. */
  readonly initial: Pick<ModelConnection, 'baseUrl' | 'model' | 'hasKey'> | undefined;
  readonly onSaved?: () => void;
}

export function ConnectForm({ initial, onSaved }: ConnectFormProps) {
  const feature = useModelsFeature();
  const [draft, setDraft] = useState<Draft>({ baseUrl: initial?.baseUrl ?? '', model: initial?.model ?? '', key: '', keyTouched: false });
  const [offered, setOffered] = useState<readonly string[]>([]);
  const [work, setWork] = useState<'listing' | 'testing' | 'saving'>();
  const [problem, setProblem] = useState<ErrorShape>();
  const [steps, setSteps] = useState<readonly ModelTestStep[]>();
  const [touched, setTouched] = useState(false);
  const listId = useId();
  const foot = useRef<HTMLDivElement>(null);
  /** In a low window the result would come below the edge, unseen, and push away the button that saves. */
  useEffect(() => { if (steps !== undefined) foot.current?.scrollIntoView({ block: 'nearest' }); }, [steps]);
  const address = readAddress(draft.baseUrl);
  const ready = address.kind === 'ok' && draft.model.trim() !== '';
  const edit = (change: Partial<Draft>): void => {
    setDraft({ ...draft, ...change });
    setSteps(undefined);
    setProblem(undefined);
  };
  /** A key is stored for one address and never sent to another. */
  const keyIsStored = initial?.hasKey === true && address.kind === 'ok' && address.baseUrl === initial.baseUrl;
  const key = draft.keyTouched ? draft.key.trim() : undefined;

  const run = async (kind: NonNullable<typeof work>, action: () => Promise<void>): Promise<void> => {
    setWork(kind);
    setProblem(undefined);
    try {
      await action();
    } catch (error) {
      setProblem(toErrorShape(error));
    } finally {
      setWork(undefined);
    }
  };
  const connection = (): Connection | undefined => {
    setTouched(true);
    if (address.kind === 'bad' || draft.model.trim() === '') return undefined;
    return { baseUrl: address.baseUrl, model: draft.model.trim(), ...(key === undefined ? {} : { key }) };
  };
  const listAt = (baseUrl: string): Promise<void> => run('listing', async () => {
    const models = await feature.list(baseUrl, key);
    setOffered(models);
    const [first] = models;
    if (first === undefined) setProblem(NO_MODELS);
    else if (draft.model === '') setDraft((now) => ({ ...now, model: first }));
  });
  const testOf = (tested: Connection): Promise<void> => run('testing', async () => { setSteps(await feature.test(tested)); });
  const list = (): void => {
    if (address.kind === 'bad') setTouched(true);
    else void listAt(address.baseUrl);
  };
  const test = (): void => {
    const tested = connection();
    if (tested !== undefined) void testOf(tested);
  };
  const wrongPath = [problem?.code, ...(steps ?? []).map(({ code }) => code)].some((code) => code !== undefined && WRONG_PATH.includes(code));
  const better = wrongPath && address.kind === 'ok' ? withVersion(address.baseUrl) : undefined;
  const tryAt = (baseUrl: string): void => {
    edit({ baseUrl });
    const tested = connection();
    void (tested === undefined ? listAt(baseUrl) : testOf({ ...tested, baseUrl }));
  };
  const save = (event: SyntheticEvent): void => {
    event.preventDefault();
    const saved = connection();
    if (saved === undefined) return;
    void run('saving', async () => {
      await feature.save(saved);
      toasts.getState().show({ text: `Connected to ${saved.model}` });
      setDraft((now) => ({ ...now, key: '', keyTouched: false }));
      onSaved?.();
    });
  };

  return (
    <form onSubmit={save} noValidate className="flex flex-col gap-3">
      <Field
        label="Base URL of an OpenAI-compatible server" error={touched && address.kind === 'bad' ? address.message : undefined}
        hint={address.kind === 'ok' ? address.note ?? 'Usually ends in /v1' : 'For example http://127.0.0.1:11434/v1'}
      >
        {(control) => <Input {...control} inputMode="url" value={draft.baseUrl} placeholder="https://api.example.com/v1" onChange={(event) => { edit({ baseUrl: event.target.value }); }} className="w-full font-mono text-xs" />}
      </Field>
      <Field
        label="API key"
        hint={keyIsStored && !draft.keyTouched ? 'A key is stored. Leave this empty to keep it.' : 'Local servers need none. It is stored on this machine and never shown again.'}
        error={address.kind === 'ok' && key !== undefined && key !== '' && sendsKeyInClear(address.baseUrl) ? 'This address is not encrypted: the key could be read on the way.' : undefined}
      >
        {(control) => <Input {...control} type="password" autoComplete="off" value={draft.key} placeholder={keyIsStored ? '••••••••' : ''} onChange={(event) => { edit({ key: event.target.value, keyTouched: true }); }} className="w-full font-mono text-xs" />}
      </Field>
      <Field label="Model" error={touched && draft.model.trim() === '' ? 'Enter or pick the name of a model.' : undefined} hint={offered.length === 0 ? undefined : `${offered.length} ${offered.length === 1 ? 'model' : 'models'} offered: type to pick`}>
        {(control) => (
          <div className="flex gap-2">
            <Input {...control} list={listId} value={draft.model} placeholder="Name, as the server calls it" onChange={(event) => { edit({ model: event.target.value }); }} className="flex-1 font-mono text-xs" />
            <datalist id={listId}>{offered.map((model) => <option key={model} value={model} />)}</datalist>
            <Button onClick={list} busy={work === 'listing'} disabled={work !== undefined}>List models</Button>
          </div>
        )}
      </Field>
      {offered.length > 0 && offered.length <= 12 ? (
        <div role="group" aria-label="Models offered" className="flex flex-wrap gap-1">
          {offered.map((model) => <Button key={model} size="small" aria-pressed={model === draft.model} onClick={() => { edit({ model }); }} className="font-mono aria-pressed:border-accent aria-pressed:bg-accent-soft aria-pressed:text-accent">{model}</Button>)}
        </div>
      ) : null}
      {problem === undefined ? null : <InlinePanel role="alert" tone="danger" title={problem.message}>{problem.hint}</InlinePanel>}
      <div aria-live="polite" className="empty:hidden">{steps === undefined ? null : <TestSteps steps={steps} />}</div>
      <div ref={foot} className="flex scroll-mb-3 gap-2">
        <Button type="submit" tone="primary" busy={work === 'saving'} disabled={work !== undefined || !ready}>Save and use</Button>
        {better === undefined ? null : <Button disabled={work !== undefined} onClick={() => { tryAt(better); }}>Try {better}</Button>}
        <Button onClick={test} busy={work === 'testing'} disabled={work !== undefined || !ready}>{work === 'testing' ? 'Testing' : 'Test'}</Button>
      </div>
    </form>
  );
}
