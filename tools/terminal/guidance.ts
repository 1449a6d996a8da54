/** Commands that belong into the background are not waited for (hermes-runtime 5.3): the model is told how to start them instead. */
import { argv, basename, hasBackgroundStatement, parseLine, simpleCommands } from './commands.ts';

/** Options that make any program answer and end. */
const ENDS_AT_ONCE = new Set(['--help', '-h', '--version', '-v']);
const DETACHERS = new Set(['nohup', 'disown', 'setsid']);
const PACKAGE_RUNNERS = new Set(['npm', 'pnpm', 'yarn', 'bun']);
const SERVING_SCRIPTS = new Set(['dev', 'start', 'serve', 'watch']);
const SERVERS = new Set(['vite', 'nodemon', 'uvicorn', 'gunicorn']);

function servesForEver(words: readonly string[]): string | undefined {
  const [program = '', ...rest] = words;
  const name = basename(program);
  const [first, second] = rest;
  if (PACKAGE_RUNNERS.has(name)) {
    const script = first === 'run' ? second : first;
    if (script !== undefined && SERVING_SCRIPTS.has(script)) return `${name} ${script}`;
  }
  if ((name === 'docker' && first === 'compose') || name === 'docker-compose') {
    const at = rest.indexOf('up');
    if (at !== -1 && !rest.includes('-d') && !rest.includes('--detach') && !rest.includes('--wait')) return 'docker compose up';
  }
  if (name === 'next' && first === 'dev') return 'next dev';
  if (name === 'npx' && first !== undefined && (SERVERS.has(first) || (first === 'next' && second === 'dev'))) return `npx ${first}`;
  if (name === 'vite' && first === 'build') return undefined;
  if (SERVERS.has(name)) return name;
  if (/^python[\d.]*$/.test(name)) {
    const at = rest.indexOf('-m');
    const module = at === -1 ? undefined : rest[at + 1];
    if (module === 'http.server' || (module !== undefined && SERVERS.has(module))) return `${name} -m ${module}`;
  }
  return undefined;
}

const ADVICE = 'Start it with background=true instead (add notify_on_complete=true for work that ends), then use the process tool to watch, wait for or stop it.';

/** The answer for the model, or undefined when the command may be waited for. */
export function foregroundGuidance(command: string): string | undefined {
  const script = parseLine(command);
  if (script === undefined) return undefined;
  const lines = simpleCommands(script.commands).map(argv);
  if (lines.some((words) => words.slice(1).some((word) => ENDS_AT_ONCE.has(word)))) return undefined;
  const detacher = lines.map((words) => words[0]).find((program) => program !== undefined && DETACHERS.has(basename(program)));
  if (detacher !== undefined) return `Foreground commands may not detach themselves with '${basename(detacher)}': nothing would follow the process. ${ADVICE}`;
  if (hasBackgroundStatement(script.commands)) return `A foreground command may not put work into the background with '&': nothing would follow it. ${ADVICE}`;
  const server = lines.map(servesForEver).find((name) => name !== undefined);
  return server === undefined ? undefined : `'${server}' runs until it is stopped, so it would only end at the time limit. ${ADVICE}`;
}
