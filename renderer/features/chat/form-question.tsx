import { ExternalLink } from 'lucide-react';
import { useId, useState } from 'react';
import type { SyntheticEvent } from 'react';
import type { FormField, FormReply, QuestionForm } from '../../../preload/contract/mcp.ts';
import type { Question } from '../../../preload/contract/index.ts';
import { Button } from '../../ui/button.tsx';
import { failureWords } from '../../ui/failure.ts';
import { Input, Select } from '../../ui/input.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { useChatFeature } from './context.tsx';

type Values = FormReply['values'];

const initialOf = ({ fields }: QuestionForm): Values =>
  Object.fromEntries(fields.filter((field) => field.default !== null && field.default !== '').map(({ name, default: initial }) => [name, initial as Values[string]])); // null is filtered out

/** An MCP server asks: fields to fill in, or a page to open. Its words are drawn as data, and who asks always stands above them. */
export function FormQuestion({ question, form }: { readonly question: Question; readonly form: QuestionForm }) {
  const feature = useChatFeature();
  const [values, setValues] = useState(() => initialOf(form));
  const [sending, setSending] = useState(false);
  const [failure, setFailure] = useState<string>();
  const titleId = useId();
  const send = (action: FormReply['action']): void => {
    setSending(true);
    setFailure(undefined);
    feature.reply(question.callId, { action, values: action === 'accept' ? values : {} }).catch((error: unknown) => { setSending(false); setFailure(failureWords(error)); });
  };
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    send('accept');
  };
  return (
    <form noValidate onSubmit={submit} aria-labelledby={titleId} className="flex flex-col gap-2.5">
      <div id={titleId}>
        <p className="text-xs text-muted">The MCP server <strong className="font-medium text-ink">{form.server}</strong> asks. Do not enter passwords here.</p>
        <p className="font-medium wrap-anywhere whitespace-pre-wrap"><VisibleText text={question.question} /></p>
      </div>
      {form.url === null ? null : (
        <p className="text-xs">It wants you to open <code className="wrap-anywhere"><VisibleText text={form.url} /></code> on <strong>{hostOf(form.url)}</strong> in your browser.</p>
      )}
      {form.fields.map((field) => <Field key={field.name} field={field} value={values[field.name]} onChange={(value) => { setValues({ ...values, [field.name]: value }); }} />)}
      {failure === undefined ? null : <p role="alert" className="text-xs text-danger">{failure}</p>}
      <div className="flex flex-wrap gap-1.5">
        <Button type="submit" tone="primary" busy={sending} icon={form.url === null ? undefined : <ExternalLink size={12} aria-hidden />}>{form.url === null ? form.fields.length === 0 ? 'Go on' : 'Send' : 'Open the page'}</Button>
        <Button disabled={sending} onClick={() => { send('decline'); }}>Decline</Button>
        <Button tone="ghost" disabled={sending} onClick={() => { send('cancel'); }}>Put away</Button>
      </div>
    </form>
  );
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'an address that cannot be read';
}

interface FieldProps { readonly field: FormField; readonly value: Values[string] | undefined; readonly onChange: (value: Values[string]) => void }

function Field({ field, value, onChange }: FieldProps) {
  const id = useId();
  const label = <>{field.label}{field.required ? <span className="text-muted"> (needed)</span> : null}</>;
  const hint = field.description === '' ? null : <p id={`${id}-hint`} className="text-xs text-muted wrap-anywhere"><VisibleText text={field.description} /></p>;
  const described = field.description === '' ? undefined : `${id}-hint`;
  if (field.kind === 'switch') {
    return (
      <div className="flex flex-col gap-0.5">
        <label className="flex items-center gap-2 text-xs font-medium"><input type="checkbox" checked={value === true} aria-describedby={described} className="size-3.5 accent-accent" onChange={(event) => { onChange(event.target.checked); }} />{label}</label>
        {hint}
      </div>
    );
  }
  if (field.kind === 'choices') {
    const chosen = Array.isArray(value) ? value : [];
    return (
      <fieldset className="flex flex-col gap-0.5" aria-describedby={described}>
        <legend className="text-xs font-medium">{label}</legend>
        {hint}
        <div className="flex flex-wrap gap-x-3 gap-y-1">
          {field.choices.map((choice) => (
            <label key={choice.value} className="flex items-center gap-1.5 text-xs">
              <input
                type="checkbox" checked={chosen.includes(choice.value)} className="size-3.5 accent-accent"
                onChange={(event) => { onChange(event.target.checked ? [...chosen, choice.value] : chosen.filter((each) => each !== choice.value)); }}
              />
              {choice.label}
            </label>
          ))}
        </div>
      </fieldset>
    );
  }
  return (
    <div className="flex flex-col gap-0.5">
      <label htmlFor={id} className="text-xs font-medium">{label}</label>
      {hint}
      <Control id={id} field={field} value={value} described={described} onChange={onChange} />
    </div>
  );
}

function Control({ id, field, value, described, onChange }: FieldProps & { readonly id: string; readonly described: string | undefined }) {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  if (field.kind === 'choice') {
    return (
      <Select id={id} value={text} aria-describedby={described} className="self-start" onChange={(event) => { onChange(event.target.value); }}>
        <option value="">–</option>
        {field.choices.map((choice) => <option key={choice.value} value={choice.value}>{choice.label}</option>)}
      </Select>
    );
  }
  const numeric = field.kind === 'number';
  return (
    <Input
      id={id} value={text} inputMode={numeric ? 'decimal' : undefined} aria-required={field.required || undefined} aria-describedby={described} placeholder={numeric ? '' : placeholderOf(field)} className="max-w-100"
      onChange={(event) => { onChange(numeric && event.target.value.trim() !== '' && Number.isFinite(Number(event.target.value)) ? Number(event.target.value) : event.target.value); }}
    />
  );
}

const PLACEHOLDERS: Readonly<Record<string, string>> = { email: 'name@example.org', uri: 'https://…', date: '2026-01-31', 'date-time': '2026-01-31T12:00:00Z' };

function placeholderOf(field: FormField): string {
  return field.kind === 'text' && field.format !== null ? PLACEHOLDERS[field.format] ?? '' : '';
}
