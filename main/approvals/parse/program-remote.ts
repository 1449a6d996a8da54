/** Programs that run a command on other machines or on rented ones, each with a spelling of its own. */
import type { Inner, Invocation, ProgramReader } from './model.ts';
import { readOptions } from './options.ts';
import { blockText, type Field, joinTexts } from './text.ts';

const script = (text: Field | undefined): Inner[] => (text === undefined ? [] : [{ kind: 'script', text }]);
const joined = (fields: readonly Field[]): Inner[] => (fields.length === 0 ? [] : [{ kind: 'script', text: joinTexts(fields, ' ') }]);

const withoutDashes = (fields: readonly Field[]): readonly Field[] => (fields[0]?.text === '--' ? fields.slice(1) : fields);

/** `ansible hosts -m shell -a 'cmd'`; the module is `command` when none is named. */
function ansible(command: Invocation): Inner[] {
  const { options } = readOptions(command.argv, { short: 'iamufclMtBPTe', flags: 'bkKoCDv', long: ['inventory', 'args', 'module-name', 'user', 'forks', 'limit', 'extra-vars', 'become-user', 'become-method'], longFlags: ['become', 'check', 'diff', 'one-line'], permute: true });
  const value = (short: string, long: string): Field | undefined => options.find((option) => option.name === short || (option.long && option.name === long))?.value;
  const module = value('m', 'module-name')?.text ?? 'command';
  return /(?:^|\.)(?:win_)?(?:shell|command|raw)$/.test(module) ? script(value('a', 'args')) : [];
}

/** `salt '*' cmd.run 'cmd'`. */
function salt(command: Invocation): Inner[] {
  const at = command.argv.findIndex((field) => /^cmd\.(?:run|shell|run_all|run_stdout|exec_code)$/.test(field.text));
  return at === -1 ? [] : script(command.argv[at + 1]);
}

/** `sg group 'cmd'`, `sg group -c 'cmd'`. */
function asGroup(command: Invocation): Inner[] {
  const words = command.argv.slice(1).filter((field) => field.text !== '-' && field.text !== '-c');
  return script(words[1]);
}

/** The words behind a sub-command (its words in order) and the things that it names first. */
function behind(verbs: readonly string[], skip: number, options: string[] = []): ProgramReader {
  return (command) => {
    const { operands } = readOptions(command.argv, { long: options, short: 'aens', permute: false });
    if (!verbs.every((verb, index) => verb.split('|').includes(operands[index]?.text ?? ''))) return [];
    const after = readOptions([...operands.slice(verbs.length - 1)], { long: options, short: 'aesn', flags: 'itq' }).operands;
    return joined(withoutDashes(after.slice(skip)));
  };
}

/** Whatever stands behind `--`, where one of the words before it is `ssh` or `exec`. */
function afterDashes(command: Invocation): Inner[] {
  const at = command.argv.findIndex((field) => field.text === '--');
  return at !== -1 && command.argv.slice(1, at).some((field) => /^(?:ssh|exec|shell|run)$/.test(field.text)) ? joined(command.argv.slice(at + 1)) : [];
}

function optionScript(...names: readonly string[]): ProgramReader {
  return (command) => command.argv.flatMap((field, index) => (names.includes(field.text) ? script(command.argv[index + 1]) : []));
}

/** `nix shell pkgs -c PROGRAM WORDS…`: what stands behind the option is the program with its words. */
function optionWords(...names: readonly string[]): ProgramReader {
  return (command) => {
    const at = command.argv.findIndex((field) => names.includes(field.text));
    return at === -1 || at + 1 >= command.argv.length ? [] : [{ kind: 'argv', fields: command.argv.slice(at + 1) }];
  };
}

/** `cargo watch -s 'cmd'`, `cargo watch -- cmd`. */
function cargoWatch(command: Invocation): Inner[] {
  if (command.argv[1]?.text !== 'watch') return [];
  const at = command.argv.findIndex((field) => field.text === '--');
  return [...optionScript('-s', '--shell')(command, []), ...(at === -1 ? [] : joined(command.argv.slice(at + 1)))];
}

/** `yarn workspaces foreach -A exec cmd`, `yarn workspace NAME exec cmd`. */
function workspaceExec(command: Invocation): Inner[] {
  const at = command.argv.findIndex((field) => field.text === 'exec');
  return at > 1 && /^workspaces?$/.test(command.argv[1]?.text ?? '') ? joined(withoutDashes(command.argv.slice(at + 1))) : [];
}

/** `aws ssm send-command --parameters 'commands=["cmd"]'`. */
function managedInstances(command: Invocation): Inner[] {
  return command.argv.flatMap((field): Inner[] => {
    const list = /\bcommands"?\s*[=:]\s*(.+)/s.exec(field.text)?.[1];
    if (list === undefined) return [];
    const quoted = [...list.matchAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'/g)].map((match) => match[1] ?? match[2] ?? '');
    return (quoted.length > 0 ? quoted : [list]).slice(0, 20).map((text) => ({ kind: 'script', text: blockText(text, field.start, field.end) }));
  });
}

const all = (...readers: readonly ProgramReader[]): ProgramReader => (command, seen) => readers.flatMap((reader) => [...reader(command, seen)]);
const entries = (names: string, reader: ProgramReader): [string, ProgramReader][] => names.split(' ').map((name) => [name, reader]);

export const remotePrograms: readonly [string, ProgramReader][] = [
  ...entries('ansible', ansible),
  ...entries('salt salt-call salt-ssh', salt),
  ...entries('sg', asGroup),
  ...entries('knife', behind(['ssh'], 1)),
  ...entries('heroku', all(behind(['run|run:detached|ps:exec|local:run'], 0, ['app', 'size', 'env', 'type', 'remote', 'dyno']))),
  ...entries('fly flyctl', all(optionScript('-C', '--command'), afterDashes)),
  ...entries('nomad', behind(['alloc', 'exec'], 1, ['task', 'job'])),
  ...entries('sops', behind(['exec-env|exec-file'], 1)),
  ...entries('dokku railway ddev lando', behind(['run|exec|enter'], 0)),
  ...entries('tsh tailscale docker-machine', behind(['ssh'], 1)),
  ...entries('minikube colima', all(behind(['ssh'], 0, ['profile', 'node']), afterDashes)),
  ...entries('gcloud', all(optionScript('--command'), afterDashes)),
  ...entries('cf eb devpod et chokidar', optionScript('-c', '--command')),
  ...entries('nix', optionWords('-c', '--command')),
  ...entries('cargo', cargoWatch),
  ...entries('yarn', workspaceExec),
  ...entries('kamal', behind(['app|server|accessory', 'exec'], 0, ['hosts', 'roles', 'version'])),
  ...entries('qm', behind(['guest', 'exec'], 1, ['timeout'])),
  ...entries('az', optionScript('--command', '--scripts')),
  ...entries('aws', managedInstances),
  ...entries('capsh', (command) => {
    const at = command.argv.findIndex((field) => field.text === '--' || field.text === '==');
    return at === -1 ? [] : optionScript('-c')({ ...command, argv: command.argv.slice(at) }, []);
  }),
];
