/** What a person types: words for the model, a command of their own (`!ls`), or one tool call (`/tool NAME {json}`). */
import { AppError } from '../../preload/contract/errors.ts';

export type Typed =
  | { readonly kind: 'words'; readonly text: string }
  | { readonly kind: 'call'; readonly name: string; readonly arguments: string };

/** Throws `request/invalid` for a command without its parts, so that the composer keeps the text. */
export function parseTyped(text: string): Typed {
  if (text.startsWith('!')) {
    const command = text.slice(1).trim();
    if (command === '') throw new AppError('request/invalid', 'There is no command after the "!".', { hint: 'Type a shell command, for example !ls -la' });
    return { kind: 'call', name: 'terminal', arguments: JSON.stringify({ command }) };
  }
  const tool = /^\/tool(?:\s+(\S+)(?:\s+([\s\S]*))?)?$/.exec(text.trim());
  if (!tool) return { kind: 'words', text };
  const [, name, json] = tool;
  if (name === undefined) throw new AppError('request/invalid', '/tool needs the name of a tool.', { hint: 'For example /tool read_file {"path": "README.md"}' });
  const written = json?.trim() || '{}';
  const parsed = parseObject(written);
  if (parsed.kind === 'malformed') throw new AppError('request/invalid', `The arguments of /tool ${name} are not a JSON object: ${parsed.message}`, { hint: 'For example /tool read_file {"path": "README.md"}' });
  return { kind: 'call', name, arguments: written };
}

/** True for text that runs something by itself. Throws like `parseTyped`. */
export function isCommand(text: string): boolean {
  return parseTyped(text).kind === 'call';
}

export type ParsedObject =
  | { readonly kind: 'object'; readonly value: Readonly<Record<string, unknown>> }
  | { readonly kind: 'malformed'; readonly message: string };

/** JSON text that should be an object (arguments, results); `message` says what is wrong with it. */
export function parseObject(text: string): ParsedObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { kind: 'malformed', message: error instanceof Error ? error.message : String(error) };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { kind: 'malformed', message: `expected an object, got ${Array.isArray(value) ? 'an array' : value === null ? 'null' : `a ${typeof value}`}` };
  }
  return { kind: 'object', value: value as Readonly<Record<string, unknown>> }; // checked above: neither null nor an array
}
