/** Questions as models send them, made into questions a person can answer (hermes-runtime 7.4). Pure. */

export const MAX_CHOICES = 4;
export const MAX_QUESTIONS = 5;
const RECOMMENDED = /\s*\(recommended\)\s*$/i;
/** Where a model puts the words of a choice that it sends as an object. */
const CHOICE_FIELDS = ['label', 'description', 'text', 'title'] as const;

export interface AskedQuestion {
  readonly id: string;
  readonly question: string;
  readonly choices: readonly string[];
  readonly multiSelect: boolean;
}

function choiceText(choice: unknown): string {
  if (typeof choice === 'string') return choice.trim();
  if (typeof choice === 'number' || typeof choice === 'boolean') return String(choice);
  if (typeof choice !== 'object' || choice === null) return '';
  for (const field of CHOICE_FIELDS) {
    const value = (choice as Readonly<Record<string, unknown>>)[field]; // cast: an object; the field is checked next
    if (typeof value === 'string' && value.trim() !== '') return value.trim();
  }
  return '';
}

/** At most four, without blanks. */
export function cleanChoices(choices: unknown): string[] {
  if (!Array.isArray(choices)) return [];
  return choices.map(choiceText).filter((choice) => choice !== '').slice(0, MAX_CHOICES);
}

/** What the person chose, without the mark that the model put on its favourite. */
export function withoutMark(answer: string): string {
  const plain = answer.replace(RECOMMENDED, '');
  return plain === '' ? answer : plain;
}

/** The questions to ask, or what is wrong with the arguments. */
export function questionsFrom(args: Readonly<Record<string, unknown>>): { questions: AskedQuestion[]; several: boolean } | { error: string } {
  const many = args['questions'];
  if (Array.isArray(many) && many.length > 0) {
    const questions: AskedQuestion[] = [];
    for (const [index, item] of many.slice(0, MAX_QUESTIONS).entries()) {
      const given: Readonly<Record<string, unknown>> = typeof item === 'string' ? { question: item } : typeof item === 'object' && item !== null ? item as Record<string, unknown> : {}; // cast: an object, read field by field
      const question = typeof given['question'] === 'string' ? given['question'].trim() : '';
      if (question === '') return { error: `questions[${String(index)}].question is missing: say what you want to know.` };
      const id = typeof given['id'] === 'string' && given['id'] !== '' ? given['id'] : String(index + 1);
      questions.push({ id, question, choices: cleanChoices(given['choices']), multiSelect: given['multi_select'] === true });
    }
    return { questions, several: true };
  }
  const question = typeof args['question'] === 'string' ? args['question'].trim() : '';
  if (question === '') return { error: 'question is missing: say what you want to know.' };
  return { questions: [{ id: '1', question, choices: cleanChoices(args['choices']), multiSelect: args['multi_select'] === true }], several: false };
}
