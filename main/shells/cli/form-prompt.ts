/** A form of an MCP server, asked field by field on the terminal. */
import type { Interface } from 'node:readline/promises';
import type { FormField, FormReply, QuestionForm } from '../../../preload/contract/mcp.ts';
import { print, type Streams } from './streams.ts';
import { visibleLine, visibleProse } from './visible.ts';

type Value = FormReply['values'][string];

/** `/no` declines, `/cancel` puts it away. An empty line keeps what stands in brackets. */
export async function askForm(question: string, form: QuestionForm, streams: Streams, lines: Interface, signal: AbortSignal): Promise<FormReply> {
  const say = (text: string): void => { print(streams.stderr, text); };
  say(`\n? MCP server ${visibleLine(form.server)} asks (/no declines, /cancel puts it away): ${visibleProse(question)}`);
  if (form.url !== null) {
    say(`  It wants you to open ${visibleLine(form.url)}`);
    const answer = (await lines.question('  Open it? [y/N] ', { signal })).trim();
    return { action: /^y(?:es)?$/i.test(answer) ? 'accept' : answer === '/cancel' ? 'cancel' : 'decline', values: {} };
  }
  const values: Record<string, Value> = {};
  for (const field of form.fields) {
    const typed = (await lines.question(prompt(field, say), { signal })).trim();
    if (typed === '/no' || typed === '/cancel') return { action: typed === '/no' ? 'decline' : 'cancel', values: {} };
    const value = typed === '' ? field.default : valueOf(field, typed);
    if (value !== null && value !== '' && !(Array.isArray(value) && value.length === 0)) values[field.name] = value;
  }
  return { action: 'accept', values };
}

function prompt(field: FormField, say: (text: string) => void): string {
  if (field.description !== '') say(`  ${visibleLine(field.description)}`);
  if (field.kind === 'choice' || field.kind === 'choices') field.choices.forEach(({ label }, index) => { say(`    ${index + 1}. ${visibleLine(label)}`); });
  const initial = Array.isArray(field.default) ? field.default.join(', ') : field.default === null ? '' : String(field.default);
  const how = field.kind === 'switch' ? ' (y/n)' : field.kind === 'choices' ? ' (numbers, separated by commas)' : '';
  return `  ${visibleLine(field.label)}${how}${field.required ? ' *' : ''}${initial === '' ? '' : ` [${visibleLine(initial)}]`}: `;
}

/** What cannot be read is handed on as typed: the host then says what is wrong with it. */
function valueOf(field: FormField, typed: string): Value {
  switch (field.kind) {
    case 'text': return typed;
    case 'number': return Number.isFinite(Number(typed)) ? Number(typed) : typed;
    case 'switch': return /^(?:y|yes|true|1|on)$/i.test(typed);
    case 'choice': return picked(field.choices, typed);
    case 'choices': return typed.split(',').map((each) => picked(field.choices, each.trim()));
  }
}

function picked(choices: readonly { readonly value: string }[], typed: string): string {
  return choices[Number(typed) - 1]?.value ?? typed;
}
