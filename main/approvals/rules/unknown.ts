/** Commands whose program only the running shell knows. */
import type { Invocation } from '../parse/model.ts';
import { isUnknown, UNKNOWN } from '../parse/text.ts';
import { isProcess } from '../parse/unwrap.ts';
import { type Hit, hitField, type Rule } from './rule.ts';

function unknownProgram(command: Invocation): Hit | undefined {
  const word = command.argv[0];
  if (word === undefined) return undefined;
  // `Get-Service | ? { … }`: PowerShell's short name of Where-Object.
  const filters = command.name === '?' && command.argv[1]?.text.startsWith('{') === true;
  // `$x = 'text'`, `$env:PATH += ';C:\x'`: what PowerShell writes where a shell has `x=…`. A bare word there is a command.
  const [, , value, more] = command.argv;
  const assigns = word.text.startsWith(UNKNOWN) && /^(?::\w+)?$/.test(word.text.slice(UNKNOWN.length)) && word.substitutions.length === 0 && /^[-+*/]?=$/.test(command.argv[1]?.text ?? '') && value !== undefined && more === undefined && (!value.bare || /^\d+$/.test(value.text));
  if (assigns) return undefined;
  const pattern = !filters && word.glob && /[*?]|\[[^\]]+\]/.test(command.name);
  return isUnknown(command.name) || isProcess(word) || pattern ? hitField('runs a program that only the running shell knows', word) : undefined;
}

export const unknownRules: readonly Rule[] = [
  { key: 'unknown program', class: 'unknown', tier: 'unknown', programs: 'any', pattern: '$PROGRAM …, $(…) …, /bin/r? …', test: unknownProgram },
];
