/** Questions in a messenger: those of the model with their choices as buttons and numbers, forms of MCP servers field by field. */
import { createHash } from 'node:crypto';
import { AppError } from '../../preload/contract/errors.ts';
import type { CallId, SessionId } from '../../preload/contract/ids.ts';
import type { FormField, FormReply, QuestionForm } from '../../preload/contract/mcp.ts';
import type { Question } from '../../preload/contract/sessions.ts';
import type { Agent } from '../agent/agent.ts';
import { fieldWords, readField, valueWords } from './fields.ts';
import type { Button } from './platform.ts';

export interface Prompt { readonly text: string; readonly buttons: readonly Button[] }
type Say = (text: string, buttons?: readonly Button[]) => void;
type Values = FormReply['values'];
interface Filling { readonly at: number; readonly values: Values }

export interface MessengerQuestions {
  /** What the person is shown when it is asked. */
  promptOf(question: Question): Prompt;
  /** True when the words answered what is open in that chat, or could not and that was said. */
  take(sessionId: SessionId, text: string, say: Say): boolean;
  /** Words for whoever pressed; undefined when the button is of another kind. */
  pressed(sessionId: SessionId, data: string, say: Say): string | undefined;
}

const GONE = 'That question is not open any more.';

/** Telegram takes 64 bytes behind a button, and ids of calls have any length. */
const shortOf = (callId: CallId): string => createHash('sha256').update(callId).digest('base64url').slice(0, 16);
/** Slack takes 25 and Discord 25 buttons; the numbers in the text are there for any number of choices. */
const MOST_BUTTONS = 20;
const button = (callId: CallId, step: number, label: string, value: number | string): Button => ({ label: label.slice(0, 60).trim() || '…', data: `q:${shortOf(callId)}:${String(step)}:${String(value)}` });
const buttonsOf = (callId: CallId, step: number, labels: readonly string[]): Button[] => (labels.length > MOST_BUTTONS ? [] : labels.map((label, at) => button(callId, step, label, at + 1)));
const numbered = (labels: readonly string[]): string[] => labels.map((label, at) => `${String(at + 1)}. ${label}`);

export function createQuestions({ agent }: { readonly agent: Pick<Agent, 'questions' | 'answer'> }): MessengerQuestions {
  /** Forms that are being filled in, by call. Questions live as long as their process, and so does this. */
  const filling = new Map<CallId, Filling>();

  function stepOf(callId: CallId): Filling {
    const known = filling.get(callId) ?? { at: 0, values: {} };
    filling.set(callId, known);
    return known;
  }

  function formPrompt({ callId, form }: Question & { readonly form: QuestionForm }): Prompt {
    const { at, values } = stepOf(callId);
    const field = form.fields[at];
    if (field === undefined) {
      const lines = form.fields.map((each) => `${each.label}: ${values[each.name] === undefined ? '(left out)' : valueWords(each, values[each.name] ?? '')}`);
      return { text: [`This goes to the MCP server ${form.server}:`, ...lines, '', 'Answer yes to send it, no to decline.'].join('\n'), buttons: [button(callId, at, 'Send', 'yes'), button(callId, at, 'Decline', 'no')] };
    }
    const choices = field.kind === 'switch' ? ['yes', 'no'] : field.kind === 'choice' ? field.choices.map(({ label }) => label) : [];
    return { text: [`(${String(at + 1)} of ${String(form.fields.length)}) ${fieldWords(field, values[field.name])}`, '/cancel declines the whole form.'].join('\n'), buttons: buttonsOf(callId, at, choices) };
  }

  const promptOf = (question: Question): Prompt => {
    const { callId, form, choices } = question;
    if (form === undefined) return { text: [`❓ ${question.question}`, ...numbered(choices)].join('\n'), buttons: buttonsOf(callId, 0, choices) };
    const intro = `❓ The MCP server ${form.server} asks: ${question.question}`;
    if (form.url !== null) return { text: `${intro}\n\nIt wants a page to be opened, which only the app can do: open this chat in Talaria on the computer and answer there, or decline with /cancel.`, buttons: [button(callId, 0, 'Decline', 'no')] };
    const { text, buttons } = formPrompt({ ...question, form });
    return { text: `${intro}\n\n${text}`, buttons };
  };

  function finish({ callId }: Question, reply: FormReply, say: Say): void {
    filling.delete(callId);
    agent.answer(callId, '', reply);
    say(reply.action === 'accept' ? 'Sent.' : 'Declined.');
  }

  function takeForm(question: Question & { readonly form: QuestionForm }, text: string, say: Say): void {
    const { callId, form } = question;
    if (/^(?:\/cancel|cancel)$/i.test(text) || (form.url !== null && /^no$/i.test(text))) return finish(question, { action: 'decline', values: {} }, say);
    const ask = (before?: string): void => {
      const { text: words, buttons } = form.url === null ? formPrompt(question) : promptOf(question);
      say(before === undefined ? words : `${before}\n\n${words}`, buttons);
    };
    if (form.url !== null) return ask();
    const step = stepOf(callId);
    const field: FormField | undefined = form.fields[step.at];
    if (field !== undefined) {
      const read = readField(field, text, step.values[field.name]);
      if ('problem' in read) return ask(`⚠️ ${read.problem}`);
      const { [field.name]: _before, ...others } = step.values;
      filling.set(callId, { at: step.at + 1, values: read.value === undefined ? others : { ...others, [field.name]: read.value } });
      return ask();
    }
    if (/^(?:no|n)$/i.test(text)) return finish(question, { action: 'decline', values: {} }, say);
    if (!/^(?:yes|y|ok|send)$/i.test(text)) return ask();
    try {
      finish(question, { action: 'accept', values: step.values }, say);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'request/invalid') throw error;
      // From the top; what was entered is offered again at each field.
      filling.set(callId, { at: 0, values: step.values });
      ask(`⚠️ ${error.message} Go through it once more; /skip keeps what you entered.`);
    }
  }

  const hasForm = (question: Question): question is Question & { readonly form: QuestionForm } => question.form !== undefined;

  function takeWords(question: Question, text: string, say: Say): void {
    if (hasForm(question)) return takeForm(question, text, say);
    agent.answer(question.callId, (/^\d{1,2}$/.test(text) ? question.choices[Number(text) - 1] : undefined) ?? text);
  }

  return {
    promptOf,
    take(sessionId, text, say) {
      const [question] = agent.questions(sessionId);
      if (question === undefined) return false;
      takeWords(question, text, say);
      return true;
    },
    pressed(sessionId, data, say) {
      const [, short, step, value = ''] = /^q:([\w-]{16}):(\d{1,3}):(\d{1,3}|yes|no)$/.exec(data) ?? [];
      if (short === undefined) return data.startsWith('q:') ? GONE : undefined;
      const question = agent.questions(sessionId).find(({ callId }) => shortOf(callId) === short);
      // A button of an earlier field, pressed again, must not answer the present one.
      if (question === undefined || (hasForm(question) && question.form.url === null && stepOf(question.callId).at !== Number(step))) return GONE;
      const chosen = question.choices[Number(value) - 1];
      if (!hasForm(question) && chosen === undefined) return GONE;
      takeWords(question, value, say);
      return hasForm(question) ? 'Noted.' : `Answered: ${chosen ?? ''}`;
    },
  };
}
