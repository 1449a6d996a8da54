/** Makes a tool's answer readable: most answer in JSON, of which one text field is what a person wants to see. */

export interface ReadableResult {
  /** What to read; undefined when the answer has no text of its own. */
  readonly text: string | undefined;
  /** For highlighting: `json`, or empty for plain text. */
  readonly language: '' | 'json';
  /** The answer's own error sentence, where it has one. */
  readonly error: string | undefined;
  /** Everything else it says, by name. */
  readonly rest: readonly (readonly [name: string, value: unknown])[];
}

/** Fields that hold the text a person reads, in the order they are looked for. */
const TEXT_FIELDS = ['output', 'content', 'diff', 'text'];

/** Fields that only repeat what the card already shows. */
const KNOWN_FIELDS = new Set(['exit_code', 'error', 'status', 'success']);
/** Fields of a refusal that its sentence and the card's mark already say. */
const TOLD_BY_REFUSAL = new Set(['outcome', 'pattern_key', 'description']);

/** How a call that did not run was decided; every other outcome is a plain block. */
const REFUSAL_WORDS = new Map<unknown, string>([['denied', 'denied'], ['timeout', 'not answered'], ['cancelled', 'withdrawn']]);

/** `result` may be cut short, then it is no JSON any more and is shown as it is. */
export function readResult(result: string): ReadableResult {
  const value = parse(result);
  if (value === undefined) return { text: result, language: '', error: undefined, rest: [] };
  if (!isObject(value)) return { text: JSON.stringify(value, null, 2), language: 'json', error: undefined, rest: [] };
  const fields = new Map(Object.entries(value));
  const failure = fields.get('error');
  const error = typeof failure === 'string' && failure !== '' ? failure : undefined;
  const name = TEXT_FIELDS.find((field) => typeof fields.get(field) === 'string');
  const text = name === undefined ? undefined : fields.get(name);
  const refused = fields.get('status') === 'blocked';
  const rest = [...fields].filter(([key]) => key !== name && !KNOWN_FIELDS.has(key) && !(refused && TOLD_BY_REFUSAL.has(key)));
  return { text: typeof text === 'string' && text !== '' ? text : undefined, language: '', error, rest };
}

/** When the answer says that the call was refused and nothing ran: by whom, in a word. Undefined for every other answer. */
export function refusalWord(result: string | null): string | undefined {
  const value = result === null ? undefined : parse(result);
  return isObject(value) && value['status'] === 'blocked' ? REFUSAL_WORDS.get(value['outcome']) ?? 'blocked' : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parse(text: string): unknown {
  const first = text.trimStart().charAt(0);
  if (first !== '{' && first !== '[') return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The last lines of an output, for a card that is still running. */
export function lastLines(text: string, count: number): string {
  const lines = text.replace(/\n$/, '').split('\n');
  return lines.slice(-count).join('\n');
}
