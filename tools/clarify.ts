/** Asks the person. */
import type { ToolContext } from './context.ts';
import { type AskedQuestion, MAX_CHOICES, MAX_QUESTIONS, questionsFrom, withoutMark } from './clarify/questions.ts';
import { registry } from './registry.ts';
import { toolError, toolResult } from './result.ts';

const CHOICES = { type: 'array', items: { type: 'string' }, description: `Up to ${String(MAX_CHOICES)} answers to choose from, the recommended one first; leave out for an open question. The person can always answer in words of their own.` };
const MULTI_SELECT = { type: 'boolean', description: 'More than one choice may be taken.', default: false };

registry.register({
  name: 'clarify',
  toolset: 'clarify',
  emoji: '❓',
  checksOwnArguments: true,
  handler: clarify,
  schema: {
    description: 'Ask the person a question and wait for the answer. Use it when the task is unclear, before a decision with consequences, or to hear how something went. '
      + 'Do not use it to confirm dangerous commands: the terminal asks by itself. Decide small things yourself.',
    parameters: {
      type: 'object',
      properties: {
        question: { type: 'string', description: 'What you want to know.' },
        choices: CHOICES,
        multi_select: MULTI_SELECT,
        questions: {
          type: 'array',
          description: `Up to ${String(MAX_QUESTIONS)} questions at once, instead of question.`,
          items: {
            type: 'object',
            properties: { id: { type: 'string', description: 'Your name for it, repeated with the answer.' }, question: { type: 'string' }, choices: CHOICES, multi_select: MULTI_SELECT },
            required: ['question'],
          },
        },
      },
      required: ['question'],
    },
  },
});

async function clarify(args: Record<string, unknown>, context: ToolContext): Promise<string> {
  const asked = questionsFrom(args);
  if ('error' in asked) return toolError(asked.error);
  if (context.platform === 'webhook') return toolError('Nobody can be asked in this chat: a webhook began it, and whoever sends its posts is no person who answers. Go on with what is known and say in your answer what you assumed, or end with the question in your answer.');
  if (!context.services.questions.available) return toolError('Clarify tool is not available in this execution context.');
  const responses: { id: string; question: string; choices_offered: readonly string[]; user_response: string }[] = [];
  for (const question of asked.questions) {
    const answer = await ask(question, context);
    if (answer === undefined) {
      return asked.several ? toolResult({ responses, timed_out: true }) : toolError('The question was not answered: the turn was stopped.', { question: question.question, timed_out: true });
    }
    responses.push({ id: question.id, question: question.question, choices_offered: question.choices, user_response: answer });
  }
  if (asked.several) return toolResult({ responses });
  const [only] = responses;
  return toolResult({ question: only?.question, choices_offered: only?.choices_offered, user_response: only?.user_response });
}

async function ask({ question, choices, multiSelect }: AskedQuestion, { services, sessionId, toolCallId, signal }: ToolContext): Promise<string | undefined> {
  const words = multiSelect && choices.length > 0 ? `${question} (more than one may be chosen)` : question;
  const answer = await services.questions.ask({ sessionId, toolCallId, question: words, choices }, signal);
  return answer === undefined ? undefined : withoutMark(answer.trim());
}
