/** PowerShell and cmd, as far as their text can be read as words. */
import type { Inner, Invocation, ProgramReader } from './model.ts';
import { type Field, joinTexts } from './text.ts';

/** The value of a PowerShell parameter given by any unambiguous prefix, such as `-Comm`. */
export function powershellParameter(argv: readonly Field[], name: string, least: number): Field | undefined {
  const at = argv.findIndex((field) => {
    const text = field.text.toLowerCase().replace(/^[-/]+/, '');
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
    if (/^[-/](?:e|ec|en|enc\w*)$/.test(text)) return { flag: field, text: [] };
    if (VALUE_PARAMETERS.test(text)) index++;
    else if (!/^[-/]/.test(text)) return { flag: undefined, text: argv.slice(index) };
  }
  return { flag: undefined, text: [] };
}

function powershell(command: Invocation): Inner[] {
  const { text } = powershellText(command.argv);
  const first = text[0];
  if (first === undefined || /\.ps1$/i.test(first.text)) return [];
  return [{ kind: 'script', text: unblocked(text) }];
}

/** Script blocks `{ … }` and `& { … }` are read as their contents. */
function unblocked(fields: readonly Field[]): ReturnType<typeof joinTexts> {
  const joined = joinTexts(fields, ' ');
  return { text: joined.text.replace(/^\s*&?\s*\{/, (piece) => ' '.repeat(piece.length)).replace(/\}\s*$/, (piece) => ' '.repeat(piece.length)), segments: joined.segments };
}

function cmd(command: Invocation): Inner[] {
  const at = command.argv.findIndex((field) => /^\/(?:c|k|r)/i.test(field.text));
  if (at === -1) return [];
  const rest = command.argv.slice(at + 1);
  return rest.length === 0 ? [] : [{ kind: 'script', text: joinTexts(rest, ' ') }];
}

/** `ForEach-Object { … }`, `Where-Object { … }`, `Invoke-Command -ScriptBlock { … }`. */
function scriptBlock(command: Invocation): Inner[] {
  const open = command.argv.findIndex((field) => field.text.startsWith('{'));
  if (open === -1) return [];
  const fields = command.argv.slice(open).map((field) => ({ ...field, text: field.text.replace(/^\{|\}$/g, '') })).filter((field) => field.text !== '');
  return fields.length === 0 ? [] : [{ kind: 'argv', fields }];
}

/** `Start-Process prog args`, `Invoke-Expression "text"`, `start prog`. */
function started(command: Invocation): Inner[] {
  const operands = command.argv.slice(1).filter((field) => !/^[-/](?:FilePath|ArgumentList|NoNewWindow|Wait|Verb|WindowStyle|b|wait|min|max)$/i.test(field.text));
  const first = operands[0];
  if (first === undefined) return [];
  return operands.length === 1 ? [{ kind: 'script', text: first }] : [{ kind: 'argv', fields: operands }];
}

const entries = (names: string, reader: ProgramReader): [string, ProgramReader][] => names.split(' ').map((name) => [name, reader]);

export const windowsPrograms: readonly [string, ProgramReader][] = [
  ...entries('powershell pwsh', powershell),
  ...entries('cmd', cmd),
  ...entries('foreach-object where-object % invoke-command icm start-job measure-command foreach', scriptBlock),
  ...entries('invoke-expression iex start-process saps start', started),
];
