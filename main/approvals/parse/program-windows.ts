/** PowerShell and cmd, as far as their text can be read as words. */
import type { Inner, Invocation, ProgramReader } from './model.ts';
import { type Field, isUnknown, joinTexts, sliceField } from './text.ts';

/** The value of a PowerShell parameter given by any unambiguous prefix, such as `-Comm`. */
export function powershellParameter(argv: readonly Field[], name: string, least: number): Field | undefined {
  const at = argv.findIndex((field) => {
    const text = field.text.toLowerCase().replace(/^[-/]+|:.*$/g, '');
    return /^[-/]/.test(field.text) && text.length >= least && name.startsWith(text);
  });
  return at === -1 ? undefined : argv[at];
}

const VALUE_PARAMETERS = /^[-/](?:ex\w*|ep|v\w*|outp\w*|o|inp\w*|w\w*|co\w*name|configurationname|settings\w*|wd|workingdirectory|psc\w*|version)$/i;

/** Where the command text begins: after `-Command`, or at the first word that is no parameter. */
export function powershellText(argv: readonly Field[]): { readonly flag: Field | undefined; readonly text: readonly Field[] } {
  for (let index = 1; index < argv.length; index++) {
    const field = argv[index];
    if (field === undefined) break;
    const text = field.text.toLowerCase();
    if (/^[-/](?:c|co|com|comm|comma|comman|command|cwa|commandwithargs)$/.test(text)) return { flag: field, text: argv.slice(index + 1) };
    if (/^[-/](?:f|fi|fil|file)$/.test(text)) return { flag: field, text: [] };
    if (/^[-/](?:e|ec|en|enc\w*)(?::.*)?$/.test(text)) return { flag: field, text: [] };
    if (VALUE_PARAMETERS.test(text)) index++;
    else if (!/^[-/]/.test(text)) return { flag: undefined, text: argv.slice(index) };
  }
  return { flag: undefined, text: [] };
}

function powershell(command: Invocation): Inner[] {
  const { text } = powershellText(command.argv);
  const first = text[0];
  if (first === undefined || /\.ps1$/i.test(first.text)) return [];
  const whole = unblocked(text);
  const lines = openBlocks(whole.text);
  return [{ kind: 'script', text: whole }, ...(lines === whole.text ? [] : [{ kind: 'script', text: { ...whole, text: lines } } as const])];
}

/** PowerShell's blocks and parentheses outside quotes as command separators, character for character. */
export function openBlocks(text: string): string {
  return text.replace(/'[^']*'|"(?:[^"`]|`.)*"|[{}()]/gs, (piece) => (piece.length === 1 ? ';' : piece));
}

/** Script blocks `{ … }` and `& { … }` are read as their contents. */
function unblocked(fields: readonly Field[]): ReturnType<typeof joinTexts> {
  const joined = joinTexts(fields, ' ');
  return { text: joined.text.replace(/^\s*&?\s*\{/, (piece) => ' '.repeat(piece.length)).replace(/\}\s*$/, (piece) => ' '.repeat(piece.length)), segments: joined.segments };
}

function cmd(command: Invocation): Inner[] {
  const at = command.argv.findIndex((field) => /^\/(?:c|k|r)/i.test(field.text));
  if (at === -1) return [];
  const flag = command.argv[at];
  // `/cdel x`: what follows the letter is the command already.
  const rest = [...(flag !== undefined && flag.text.length > 2 ? [sliceField(flag, 2)] : []), ...command.argv.slice(at + 1)];
  return rest.length === 0 ? [] : [{ kind: 'script', text: joinTexts(rest, ' ') }];
}

/** `ForEach-Object { … }`, `Where-Object { … }`, `Invoke-Command -ScriptBlock { … }`. */
function scriptBlock(command: Invocation): Inner[] {
  const open = command.argv.findIndex((field) => field.text.startsWith('{'));
  // A variable in the place of a program is only shown by PowerShell: `{ $_.Name }`.
  const first = command.argv[open]?.text === '{' ? command.argv[open + 1]?.text[0] : command.argv[open]?.text[1];
  if (open === -1 || isUnknown(first ?? '')) return [];
  const fields = command.argv.slice(open).map((field) => ({ ...field, text: field.text.replace(/^\{|\}$/g, '') })).filter((field) => field.text !== '');
  return fields.length === 0 ? [] : [{ kind: 'argv', fields }];
}

/** `Start-Process prog args`, `Invoke-Expression "text"`, `start prog`. */
function started(command: Invocation): Inner[] {
  const operands = command.argv.slice(1).filter((field) => !/^[-/](?:FilePath|ArgumentList|NoNewWindow|Wait|Verb|WindowStyle|b|wait|min|max)$/i.test(field.text));
  const first = operands[0];
  if (first === undefined) return [];
  if (operands.length === 1) return [{ kind: 'script', text: first }];
  // The arguments come as one text, or as several with commas between them.
  const spaced = operands.map((field) => ({ ...field, text: field.text.replaceAll(',', ' ') }));
  return [{ kind: 'argv', fields: operands }, { kind: 'script', text: joinTexts(spaced, ' ') }];
}

/** `forfiles /c "cmd /c del @file"`. */
function forEachFile(command: Invocation): Inner[] {
  const at = command.argv.findIndex((field) => /^\/c$/i.test(field.text));
  const text = at === -1 ? undefined : command.argv[at + 1];
  return text === undefined ? [] : [{ kind: 'script', text }];
}

const entries = (names: string, reader: ProgramReader): [string, ProgramReader][] => names.split(' ').map((name) => [name, reader]);

export const windowsPrograms: readonly [string, ProgramReader][] = [
  ...entries('powershell pwsh', powershell),
  ...entries('cmd', cmd),
  ...entries('foreach-object where-object % ? invoke-command icm start-job measure-command foreach', scriptBlock),
  ...entries('forfiles', forEachFile),
  ...entries('invoke-expression iex start-process saps start', started),
];
