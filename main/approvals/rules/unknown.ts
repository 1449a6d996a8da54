/** Commands whose program only the running shell knows. */
import type { Invocation } from '../parse/model.ts';
import { isUnknown } from '../parse/text.ts';
import { isProcess } from '../parse/unwrap.ts';
import { type Hit, hitField, type Rule } from './rule.ts';

function unknownProgram(command: Invocation): Hit | undefined {
  const word = command.argv[0];
  if (word === undefined) return undefined;
  // `Get-Service | ? { … }`: PowerShell's short name of Where-Object.
  const filters = command.name === '?' && command.argv[1]?.text.startsWith('{') === true;
  const pattern = !filters && word.glob && /[*?]|\[[^\]]+\]/.test(command.name);
  return isUnknown(command.name) || isProcess(word) || pattern ? hitField('runs a program that only the running shell knows', word) : undefined;
}

export const unknownRules: readonly Rule[] = [
  { key: 'unknown program', class: 'unknown', tier: 'unknown', programs: 'any', pattern: '$PROGRAM …, $(…) …, /bin/r? …', test: unknownProgram },
];
