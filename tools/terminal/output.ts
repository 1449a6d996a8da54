/** How much of what a command prints is hidden (hermes-runtime 5.4). */
import { argv, basename, parseLine, simpleCommands } from './commands.ts';

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
