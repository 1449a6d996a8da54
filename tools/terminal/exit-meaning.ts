/** What an exit code other than 0 means for programs that use it to answer (hermes-runtime 5.4). Information only. */
import type { Command, Statement } from 'unbash';
import { argv, basename, parseLine, simpleCommands } from './commands.ts';

const NO_MATCHES = 'No matches found (not an error)';
const MEANINGS = new Map<string, ReadonlyMap<number, string>>([
  ...['grep', 'egrep', 'fgrep', 'zgrep', 'rg', 'ag', 'ack'].map((name) => [name, new Map([[1, NO_MATCHES]])] as const),
  ...['diff', 'colordiff'].map((name) => [name, new Map([[1, 'Files differ (not an error)']])] as const),
  ['find', new Map([[1, 'Some directories could not be read; the results may be incomplete']])],
  ...['test', '['].map((name) => [name, new Map([[1, 'The condition is false (not an error)']])] as const),
  ['curl', new Map([[6, 'The host name could not be resolved (DNS)'], [7, 'The connection to the server failed'], [22, 'The server answered with an HTTP error status'], [28, 'The request timed out']])],
  ['git', new Map([[1, 'Depends on the git command: git diff and git grep use 1 to say "differences" or "no matches"']])],
]);

function lastCommand(statements: readonly Statement[]): Command | undefined {
  return simpleCommands(statements).at(-1);
}

/** Undefined for code 0 and for programs and codes without a special meaning. */
export function exitCodeMeaning(command: string, exitCode: number | null): string | undefined {
  if (exitCode === null || exitCode === 0) return undefined;
  const last = lastCommand(parseLine(command)?.commands ?? []);
  const program = last === undefined ? undefined : argv(last)[0];
  return program === undefined ? undefined : MEANINGS.get(basename(program))?.get(exitCode);
}
