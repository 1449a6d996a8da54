/** From what a command printed to what the model reads: hints, escape sequences out, secrets hidden, trimmed (hermes-runtime 5.4). */
import { stripVTControlCharacters } from 'node:util';
import { argv, basename, parseLine, simpleCommands } from './commands.ts';

// eslint-disable-next-line no-control-regex -- control bytes are the subject
const CONTROLS = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/g;
/** A progress bar draws over its own line: what stands before a bare carriage return was not meant to stay. */
const OVERWRITTEN = /^[^\n]*\r(?=[^\n\r])/gm;

export function plainOutput(output: string): string {
  return stripVTControlCharacters(output).replaceAll('\r\n', '\n').replace(OVERWRITTEN, '').replaceAll('\r', '').replace(CONTROLS, '');
}

const LISTS_VARIABLES = new Set(['env', 'printenv', 'set', 'export', 'declare']);
const READS_FILES = new Set(['cat', 'head', 'tail', 'less', 'more', 'grep', 'egrep', 'rg', 'sed', 'awk', 'source', '.', 'bat', 'nl', 'tac', 'xxd', 'strings', 'cut', 'sort']);
const ENVIRONMENT_FILE = /(?:^|\/)\.env(?:\.[\w.-]+)?$|(?:^|\/)\.envrc$/;

/** `environment` when the command shows variables or an .env file, so that `KEY=value` lines are hidden too. */
export function redactionMode(command: string): 'output' | 'environment' {
  const script = parseLine(command);
  // What cannot be read may show anything.
  if (script === undefined) return 'environment';
  const shows = simpleCommands(script.commands).map(argv).some(([program = '', ...rest]) => {
    const name = basename(program);
    return LISTS_VARIABLES.has(name) || (READS_FILES.has(name) && rest.some((word) => ENVIRONMENT_FILE.test(word)));
  });
  return shows ? 'environment' : 'output';
}
