/** A field of a form in words, and words as the value of a field. */
import type { FormField, FormReply } from '../../preload/contract/mcp.ts';

type Value = FormReply['values'][string];
export type ReadField = { readonly value: Value | undefined } | { readonly problem: string };

const SKIP = /^\/skip$/i;
const FORMATS: Readonly<Record<string, string>> = { email: 'an e-mail address', uri: 'a whole address such as https://example.org', date: 'a date such as 2026-01-31', 'date-time': 'a time such as 2026-01-31T12:00:00Z' };

/** What stands there when nothing is entered: what was entered before, else the server's default. */
function keptBy(field: FormField, entered: Value | undefined): Value | undefined {
  if (entered !== undefined) return entered;
  const { default: given } = field;
  return given === null || given === '' || (Array.isArray(given) && given.length === 0) ? undefined : given;
}

function howTo(field: FormField): string {
  switch (field.kind) {
    case 'text': return field.format === null ? 'Write the answer.' : `Write ${FORMATS[field.format] ?? `the answer (${field.format})`}.`;
    case 'number': return field.integer ? 'Write a whole number.' : 'Write a number.';
    case 'switch': return 'Answer yes or no.';
    case 'choice': return 'Choose one by its number.';
    case 'choices': return 'Choose by numbers, such as 1, 3.';
  }
}

export const valueWords = (field: FormField, value: Value): string => {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  const titles = new Map('choices' in field ? field.choices.map((choice) => [choice.value, choice.label]) : []);
  return (Array.isArray(value) ? value : [String(value)]).map((each) => titles.get(each) ?? each).join(', ');
};

export function fieldWords(field: FormField, entered: Value | undefined): string {
  const kept = keptBy(field, entered);
  const choices = 'choices' in field ? field.choices.map(({ label }, at) => `${String(at + 1)}. ${label}`) : [];
  const skip = kept !== undefined ? `/skip keeps: ${valueWords(field, kept)}` : field.required ? '' : '/skip leaves it out.';
  return [`${field.label}${field.required ? '' : ' (optional)'}`, field.description, ...choices, howTo(field), skip].filter((line) => line !== '').join('\n');
}

/** `value` undefined = left out. */
export function readField(field: FormField, text: string, entered: Value | undefined): ReadField {
  if (SKIP.test(text)) {
    const kept = keptBy(field, entered);
    return kept === undefined && field.required ? { problem: `'${field.label}' has to be filled in.` } : { value: kept };
  }
  switch (field.kind) {
    case 'text': return { value: text };
    case 'number': {
      const value = /^[+-]?\d+(?:[.,]\d+)?(?:e[+-]?\d+)?$/i.test(text) ? Number(text.replace(',', '.')) : Number.NaN;
      return Number.isFinite(value) && (!field.integer || Number.isInteger(value)) ? { value } : { problem: `'${text.slice(0, 50)}' is no ${field.integer ? 'whole ' : ''}number.` };
    }
    case 'switch': {
      if (/^(?:1|y|yes|true|on)$/i.test(text)) return { value: true };
      return /^(?:2|n|no|false|off)$/i.test(text) ? { value: false } : { problem: 'Answer yes or no.' };
    }
    case 'choice': {
      const value = chosen(field.choices, text);
      return value === undefined ? { problem: `There is no choice '${text.slice(0, 50)}'.` } : { value };
    }
    case 'choices': {
      const named = text.split(',').map((each) => each.trim()).filter((each) => each !== '');
      const values = named.map((each) => chosen(field.choices, each));
      const wrong = values.indexOf(undefined);
      if (wrong >= 0) return { problem: `There is no choice '${(named[wrong] ?? '').slice(0, 50)}'.` };
      return { value: [...new Set(values.filter((each) => each !== undefined))] };
    }
  }
}

/** By its number, its label or its value. */
function chosen(choices: readonly { readonly value: string; readonly label: string }[], text: string): string | undefined {
  const byNumber = /^\d{1,3}$/.test(text) ? choices[Number(text) - 1] : undefined;
  return (byNumber ?? choices.find(({ value, label }) => [value, label].some((each) => each.toLowerCase() === text.toLowerCase())))?.value;
}
