/** Makes a tool's answer readable: most answer in JSON, of which one text field is what a person wants to see. */

export interface ReadableResult {
  readonly text: string;
  /** For highlighting: `json`, or empty for plain text. */
  readonly language: '' | 'json';
  /** The answer's own error sentence, where it has one. */
  readonly error: string | undefined;
}

/** Fields that hold the text a person reads, in the order they are looked for. */
const TEXT_FIELDS = ['output', 'content', 'diff', 'text'];

/** Fields that only repeat what the card already shows. */
const KNOWN_FIELDS = new Set(['exit_code', 'error', 'status', 'success']);

/** `result` may be cut short, then it is no JSON any more and is shown as it is. */
export function readResult(result: string): ReadableResult {
  const value = parse(result);
  if (value === undefined) return { text: result, language: '', error: undefined };
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { text: JSON.stringify(value, null, 2), language: 'json', error: undefined };
  const fields = new Map<string, unknown>(Object.entries(value));
  const failure = fields.get('error');
  const error = typeof failure === 'string' && failure !== '' ? failure : undefined;
  const name = TEXT_FIELDS.find((field) => typeof fields.get(field) === 'string');
  const rest = [...fields.keys()].filter((key) => key !== name && !KNOWN_FIELDS.has(key));
  const text = name === undefined ? undefined : fields.get(name);
  if (typeof text === 'string' && rest.length === 0) return { text, language: '', error };
  if (rest.length === 0 && error !== undefined) return { text: '', language: '', error };
  return { text: JSON.stringify(value, null, 2), language: 'json', error };
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
