/** Reads `.env` text as python-dotenv does, which is what Hermes reads the same file with. */

const LINE = /^[^\S\n]*(?:export[^\S\n]+)?([\w.-]+)[^\S\n]*(?:=|:[^\S\n])[^\S\n]*('(?:\\'|[^'])*'|"(?:\\"|[^"])*"|`[^`]*`|[^\n]*)/gmu;
const ESCAPES = new Map([['n', '\n'], ['r', '\r'], ['t', '\t'], ['"', '"'], ['\\', '\\'], ['$', '$']]);
const VARIABLE = /\$\{(\w+)(?::-([^}$\n]*))?\}/gu;

/**
 * Name to value. Quoted values may span lines; a `#` after a blank begins a comment; double quotes know `\n \r \t \" \\`; `${NAME}` and
 * `${NAME:-default}` are filled in, except in single quotes, from `environment` and from the lines above. Lines that are no setting are skipped.
 */
export function parseDotEnv(text: string, environment: Readonly<Record<string, string | undefined>> = {}): Map<string, string> {
  const values = new Map<string, string>();
  for (const [, name, raw] of text.replace(/^\ufeff/u, '').replaceAll(/\r\n?/g, '\n').matchAll(LINE)) {
    if (name === undefined || raw === undefined) continue;
    const quote = /^(['"`])([^]*)\1$/u.exec(raw.trim());
    const fill = (value: string): string => value.replaceAll(VARIABLE, (_all, variable: string, fallback?: string) =>
      environment[variable] ?? values.get(variable) ?? fallback ?? '');
    if (quote?.[1] === '"') values.set(name, fill((quote[2] ?? '').replaceAll(/\\([nrt"\\$])/gu, (all, letter: string) => ESCAPES.get(letter) ?? all)));
    else if (quote !== null) values.set(name, (quote[2] ?? '').replaceAll("\\'", "'"));
    else values.set(name, fill(raw.replace(/(?:^|\s)#.*$/u, '').trim()));
  }
  return values;
}
