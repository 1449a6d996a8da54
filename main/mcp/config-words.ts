/** What is wrong with a server of config.yaml, in words that say how to write it. */
import type { z } from 'zod';
import { editDistance } from '../calls/nearest.ts';

/** Names that other programs have for the same thing. */
const FOREIGN: ReadonlyMap<string, string> = new Map([
  ['cmd', 'command'], ['program', 'command'], ['arguments', 'args'], ['environment', 'env'], ['serverurl', 'url'], ['httpurl', 'url'], ['uri', 'url'], ['disabled', 'enabled'],
  ['includetools', 'tools.include'], ['excludetools', 'tools.exclude'], ['allowedtools', 'tools.include'], ['disabledtools', 'tools.exclude'],
]);
const LONG_NAME = 6;

const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

/** The key that was meant by one that there is not; undefined for one that looks like none of ours. */
function meant(key: string, known: readonly string[]): string | undefined {
  const word = plain(key);
  const foreign = FOREIGN.get(word);
  if (foreign !== undefined) return foreign;
  const most = word.length >= LONG_NAME ? 2 : 1;
  return known.map((name) => ({ name, distance: editDistance(word, plain(name)) })).filter(({ distance }) => distance <= most).sort((left, right) => left.distance - right.distance)[0]?.name;
}

/** A key that is almost one of ours would be passed over in silence, with what it was to switch off or to send. */
export function misspelt(given: object, known: readonly string[], path: string): string[] {
  return Object.keys(given).filter((key) => !known.includes(key)).flatMap((key) => {
    const name = meant(key, known);
    if (name === undefined) return [];
    return [`${path}.${key}: there is no such key; ${plain(key) === 'disabled' ? 'write enabled: false to switch a server off' : `write ${name}`}`];
  });
}

const KINDS: Readonly<Record<string, string>> = { string: 'a text', number: 'a number, without quotes', boolean: 'true or false', array: 'a list', record: 'names with values', object: 'names with values', tuple: 'a list of two', int: 'a whole number' };
const HOW: readonly { readonly key: RegExp; readonly words: string }[] = [
  { key: /^args$/, words: '[one, two]' }, { key: /^command$/, words: 'the program alone, what follows it as args' }, { key: /^(?:env|headers)$/, words: '{NAME: value}' }, { key: /^tools$/, words: '{include: [one, two]}' },
  { key: /^(?:include|exclude|allowed_models)$/, words: '[one, two]' }, { key: /^url$/, words: 'https://example.org/mcp' },
];

const kindOf = (value: unknown): string => (value === null ? 'nothing' : Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'names with values' : typeof value === 'string' ? 'a text' : typeof value === 'number' ? 'a number' : JSON.stringify(value));

function at(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((inside, key) => (typeof inside === 'object' && inside !== null ? Reflect.get(inside, key) : undefined), value);
}

/** `mcp_servers.files.args: has to be a list, and is a text; write [one, two]`. */
export function problemWords(issue: z.core.$ZodIssue, raw: unknown, root: string): string {
  const key = String(issue.path.at(-1) ?? '');
  const given = at(raw, issue.path);
  const how = HOW.find((each) => each.key.test(key))?.words;
  const wanted = wantedWords(issue);
  const words = wanted === undefined ? issue.message : `has to be ${wanted}, and is ${issue.code === 'invalid_type' || issue.code === 'invalid_union' ? kindOf(given) : JSON.stringify(given)}`;
  return `${[root, ...issue.path.map(String)].join('.')}: ${words}${how === undefined ? '' : `; write ${how}`}`;
}

function wantedWords(issue: z.core.$ZodIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type': return KINDS[issue.expected];
    case 'invalid_value': return issue.values.length === 1 ? JSON.stringify(issue.values[0]) : `one of ${issue.values.map((value) => String(value)).join(', ')}`;
    case 'invalid_format': return issue.format === 'url' ? 'a whole address that starts with http:// or https://' : undefined;
    case 'too_small': return issue.origin === 'number' ? `${issue.inclusive === true ? 'at least' : 'more than'} ${String(issue.minimum)}` : 'filled in';
    default: return undefined;
  }
}
