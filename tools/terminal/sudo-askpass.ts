/**
 * How a command is told to take sudo's password from a helper instead of the terminal. Hermes feeds it on stdin (`sudo -S -p ''`); there
 * `echo x | sudo tee f` would take "x" for the password, and a sudo that does not ask would hand the password to the program it runs.
 */
import type { Command, Word } from 'unbash';
import { basename, parseLine } from './commands.ts';

const ASKPASS = ' -A';
/** Programs that run the command behind them as it stands. */
const RUNNERS = new Set(['env', 'command', 'exec', 'nohup', 'nice']);

/** The same line, each real command word `sudo` followed by `-A`; undefined when there is none, or the line cannot be parsed. */
export function withSudoAskpass(line: string): string | undefined {
  const script = parseLine(line);
  if (script === undefined) return undefined;
  const ends: number[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const item of value) visit(item);
    else if (isNode(value)) {
      if (value.type === 'Command') {
        const word = sudoWord(value as Command); // narrowed by `type`
        if (word !== undefined && line.slice(word.pos, word.end) === word.text) ends.push(word.end);
      }
      for (const inner of Object.values(value)) visit(inner);
      // Looked at only when asked for: no properties of their own.
      if ('parts' in value) visit(value.parts);
      if ('script' in value) visit(value.script);
    }
  };
  visit(script.commands);
  if (ends.length === 0) return undefined;
  // From the end, so that earlier positions stay right.
  return [...new Set(ends)].sort((left, right) => right - left).reduce((text, end) => text.slice(0, end) + ASKPASS + text.slice(end), line);
}

function isNode(value: unknown): value is { readonly type: string } {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

/** The word that is `sudo`, when it asks for a password at all: not with `-n`, and not when it only forgets what it knows. */
function sudoWord({ name, suffix }: Command): Word | undefined {
  if (name === undefined) return undefined;
  const words = suffix.filter((item) => item.type === 'Word');
  let at = -1;
  let word: Word | undefined = name;
  // `env NAME=value sudo …`, and the like without options of their own.
  while (word !== undefined && RUNNERS.has(basename(word.value))) {
    do at += 1; while (/^[A-Za-z_]\w*=/.test(words[at]?.value ?? ''));
    word = words[at];
  }
  if (word === undefined || basename(word.value) !== 'sudo') return undefined;
  const options = words.slice(at + 1).map(({ value }) => value);
  const own = options.slice(0, options.findIndex((option) => !option.startsWith('-')) >>> 0);
  return own.some((option) => /^-[A-Za-z]*[nKVh]/.test(option) || option === '--non-interactive') || (own.length === options.length && own.join(' ') === '-k') ? undefined : word;
}
