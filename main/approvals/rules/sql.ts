/** SQL in the clients that run SQL. */
import type { Invocation } from '../parse/model.ts';
import { type Facts, type Hit, hitCommand, inputText, type Rule, words } from './rule.ts';

const CLIENTS = words('psql mysql mariadb sqlite3 sqlite clickhouse-client clickhouse duckdb sqlcmd cockroach pgcli mycli litecli usql isql sqlplus bq trino presto beeline hive impala-shell snowsql athena mysqlsh turso wrangler supabase d1 monetdb mclient cqlsh influx osqueryi dolt tsql bcp vsql');

/** Block comments out, in one pass; one that never ends is left in, so that it hides nothing. */
function withoutBlocks(sql: string): string {
  let text = '';
  let from = 0;
  for (let open = sql.indexOf('/*'); open !== -1; open = sql.indexOf('/*', from)) {
    const close = sql.indexOf('*/', open + 2);
    if (close === -1) break;
    text += `${sql.slice(from, open)} `;
    from = close + 2;
  }
  return text + sql.slice(from);
}

/** SQL with comments and string literals taken out; inside a string nothing is run, unless the text says EXECUTE. */
function statements(sql: string): string[] {
  const plain = withoutBlocks(sql).replace(/--[^\n]*/g, ' ');
  const bare = /\bexec(?:ute)?\b/i.test(plain) ? plain : plain.replace(/'(?:[^']|'')*'/g, "''");
  return bare.split(';');
}

/** The texts that a client is given: its arguments and what comes over its input. */
function texts(command: Invocation): string[] {
  // `--command=SQL`, `-cSQL`: two dashes would otherwise begin an SQL comment.
  const found = command.argv.slice(1).map((field) => field.text.replace(/^--[\w-]+=|^-[A-Za-z](?=\S)/, ''));
  const input = inputText(command);
  if (input !== undefined) found.push(input);
  // `mysql < <(echo 'DROP TABLE a')`
  if (command.input?.kind === 'file') for (const { output } of command.input.target.substitutions) if (output !== undefined) found.push(output);
  return found;
}

function someStatement(command: Invocation, matches: (statement: string) => boolean): boolean {
  return texts(command).some((text) => text.length < 200_000 && statements(text).some(matches));
}

const drops = (statement: string): boolean => /\bdrop\s+(?:table|database|schema|keyspace|owned|column|user|role|collection)\b/i.test(statement);
const deletesAll = (statement: string): boolean => /\bdelete\s+from\s+\S/i.test(statement) && !/\bwhere\b/i.test(statement);
const updatesAll = (statement: string): boolean => /^[\s"']*update\s+(?:only\s+)?[\w."`[\]]+\s+(?:as\s+\w+\s+)?set\b/i.test(statement) && !/\bwhere\b/i.test(statement);
const truncates = (statement: string): boolean => /(?:^|[\s"'(=])truncate\s+(?:table\s+|only\s+)*["`[\w]/i.test(statement);

function sql(effect: string, matches: (statement: string) => boolean) {
  return (command: Invocation): Hit | undefined => (someStatement(command, matches) ? hitCommand(effect, command) : undefined);
}

function dropsStore(command: Invocation, _: Facts): Hit | undefined {
  const given = texts(command).join(' ');
  const matches: ReadonlyMap<string, RegExp> = new Map([
    ['mysqladmin', /\bdrop\b/i], ['redis-cli', /\bflush(?:all|db)\b/i], ['valkey-cli', /\bflush(?:all|db)\b/i], ['mongosh', /\b(?:dropDatabase|drop|deleteMany|remove)\s*\(/], ['mongo', /\b(?:dropDatabase|drop|deleteMany|remove)\s*\(/],
  ]);
  const hit = command.name === 'dropdb' || command.name === 'dropuser' || matches.get(command.name)?.test(given) === true;
  return hit && !/--help|--version/.test(given) ? hitCommand('drops stored data', command) : undefined;
}

const rule = (key: string, programs: readonly string[], pattern: string, test: Rule['test']): Rule => ({ key, class: 'sql', tier: 'danger', programs, pattern, test });

export const sqlRules: readonly Rule[] = [
  rule('SQL DROP', CLIENTS, 'DROP TABLE, DROP DATABASE in a database client', sql('drops tables or databases', drops)),
  rule('SQL DELETE without WHERE', CLIENTS, 'DELETE FROM x without WHERE', sql('deletes every row of a table', deletesAll)),
  rule('SQL UPDATE without WHERE', CLIENTS, 'UPDATE x SET … without WHERE', sql('changes every row of a table', updatesAll)),
  rule('SQL TRUNCATE', CLIENTS, 'TRUNCATE [TABLE] x', sql('empties a table', truncates)),
  rule('drop of a data store', ['dropdb', 'dropuser', 'mysqladmin', 'redis-cli', 'valkey-cli', 'mongosh', 'mongo'], 'dropdb, mysqladmin drop, FLUSHALL, dropDatabase()', dropsStore),
];
