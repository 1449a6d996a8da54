/** Finds what a command runs in turn: wrappers by table, the rest program by program. */
import { interpreterScripts } from './interpreters.ts';
import { PROGRAMS } from './programs.ts';
import type { Inner, Invocation, Setting } from './model.ts';
import { type Option, readOptions } from './options.ts';
import { shellScripts } from './shells.ts';
import { blockText, type Field, isUnknown, joinTexts, madeField, sliceField } from './text.ts';
import { strangerCommands } from './strangers.ts';
import { subscriptScript, substitutionsOf } from './texts-expanded.ts';
import { WRAPPERS, type WrapperSpec } from './wrappers.ts';
import { writtenScripts } from './written.ts';

/** Everything that `command` starts, as far as its arguments and input say; `all` are the commands seen so far. */
export function unwrap(command: Invocation, all: readonly Invocation[]): readonly Inner[] {
  const found: Inner[] = [];
  // A word with a dash in the place of a program: in other shells than bash it is an option of the `time` before it.
  const wrapper = WRAPPERS.get(isTimeOption(command.name) ? 'time' : /^ld(?:-[\w.-]+)?\.so(?:\.\d)?$/.test(command.name) ? 'ld.so' : command.name);
  if (wrapper !== undefined) {
    const argv = isTimeOption(command.name) ? [madeField('time', command.start, command.start), ...command.argv] : command.argv;
    found.push(...wrapped({ ...command, argv }, wrapper));
    if (wrapper.unsure === true) found.push(...wrapped(command, { ...wrapper, short: '' }));
  }
  // The parser cuts `X=<(a) rm` behind the `=`: what looks like a program is the value, and the program comes next.
  if (command.argv.length > 1 && isProcess(command.argv[0])) {
    // `X=<(a)b rm` is cut twice.
    const next = command.argv.findIndex((field, index) => index > 0 && field.start !== command.argv[index - 1]?.end);
    const { fields, settings } = leadingSettings(next === -1 ? [] : command.argv.slice(next), true);
    if (fields.length > 0) found.push({ kind: 'argv', fields, settings });
  }
  // `$x = Restart-Computer`: what PowerShell puts into the variable is run first.
  if (isUnknown(command.name) && command.argv[1]?.text === '=' && command.argv[2]?.bare === true) found.push({ kind: 'argv', fields: command.argv.slice(2) });
  const program = PROGRAMS.get(command.name);
  if (program !== undefined) found.push(...program(command, all));
  found.push(...strangerCommands(command, wrapper !== undefined || program !== undefined), ...interpreterScripts(command), ...shellScripts(command), ...settingScripts(command), ...writtenScripts(command, all));
  return found;
}

/** `time -p rm`, cut behind `time` by the parser. A dash alone is no option. */
const isTimeOption = (name: string): boolean => name.length > 1 && name.startsWith('-');

/** Whether the word is `<(…)` or `>(…)`. */
export const isProcess = (field: Field | undefined): boolean => field?.substitutions.some((substitution) => substitution.kind !== 'output') === true;

function wrapped(command: Invocation, wrapper: WrapperSpec): Inner[] {
  const read = readOptions(command.argv, wrapper);
  const { options } = read;
  if (/^g?env$/.test(command.name)) {
    const split = options.find((option) => option.name === 'S' || 'split-string'.startsWith(option.name) && option.name.length > 2);
    if (split?.value !== undefined) return [splitString(command, split)];
  }
  let { operands, doubt } = read;
  // A dash alone is env's short way to say `-i`.
  if (/^g?env$/.test(command.name) && operands[0]?.text === '-') operands = readOptions(operands, wrapper).operands;
  const found: Inner[] = optionInners(options, wrapper);
  const isQuery = (option: Option): boolean => wrapper.queries?.includes(option.name) === true;
  if (options.some(isQuery)) return found;
  let skip = wrapper.skip ?? 0;
  if (wrapper.verbs !== undefined) {
    const verb = operands.findIndex((field) => wrapper.verbs?.includes(field.text) === true);
    if (verb === -1 || verb > (doubt ? 1 : 0)) return [...found, ...managed(command, operands, wrapper)];
    operands = operands.slice(verb);
    if (operands[0]?.text === 'container') operands = operands.slice(1);
    const after = readOptions(operands, wrapper.after ?? {});
    found.push(...optionInners(after.options, wrapper));
    const entry = after.options.find((option) => option.name === 'entrypoint')?.value;
    skip = wrapper.after?.skip ?? 0;
    operands = after.operands;
    doubt = after.doubt;
    if (entry !== undefined) found.push({ kind: 'argv', fields: [entry, ...operands.slice(skip).filter((field) => field.text !== '--')] });
  }
  if (options.some((option) => wrapper.scripts?.includes(option.name) === true) && command.name !== 'env') return found;
  if (wrapper.optionalVerbs?.includes(operands[0]?.text ?? '') === true) {
    found.push(...wrapped({ ...command, argv: operands }, { ...wrapper, optionalVerbs: [] }));
  }
  if (wrapper.again === true && operands.length > skip) {
    const late = readOptions(operands.slice(skip - 1), wrapper);
    operands = [...operands.slice(0, skip), ...late.operands];
  }
  const dashes = wrapper.dashes === true ? command.argv.findIndex((field) => field.text === '--') : -1;
  if (dashes !== -1) found.push({ kind: 'argv', fields: command.argv.slice(dashes + 1) });
  const shifts = doubt ? [0, 1, 2] : [0];
  for (const shift of shifts) {
    const { fields, settings } = leadingSettings(operands.slice(skip + shift), wrapper.settings === true);
    const rest = fields[0]?.text === '--' ? fields.slice(1) : fields;
    if (rest.length === 0) continue;
    if (/^(?:-c|--command)$/.test(rest[0]?.text ?? '') && wrapper.scripts?.includes('c') === true) {
      if (rest[1] !== undefined) found.push({ kind: 'script', text: rest[1] });
      continue;
    }
    if (wrapper.joins === true) {
      found.push({ kind: 'script', text: joinTexts(rest, ' ') });
      // The other side reads the words again and quoting is lost on the way; whoever wrote it may have meant them as they are.
      if (rest.length > 1 && rest.some((field) => field.text === '' || /[\s;&|<>(){}$`'"\\]/.test(field.text))) found.push({ kind: 'argv', fields: rest });
    } else found.push({ kind: 'argv', fields: rest, settings, background: wrapper.detaches === true || command.background });
  }
  return found;
}

/** `env -S 'rm -rf' /`: the value is cut into words that stand before the rest. */
function splitString(command: Invocation, option: Option): Inner {
  const at = command.argv.indexOf(option.value ?? option.field);
  const from = at === -1 ? command.argv.indexOf(option.field) : at;
  const rest = command.argv.slice(from + 1).map((field) => blockText(`'${field.text.replaceAll("'", "'\\''")}'`, field.start, field.end));
  return { kind: 'script', text: joinTexts([blockText('env', option.field.start, option.field.start), option.value ?? option.field, ...rest], ' ') };
}

/** `docker compose exec`, `docker container exec`, `npm run-script`: one word before the verb. */
function managed(command: Invocation, operands: readonly Field[], wrapper: WrapperSpec): Inner[] {
  if (operands[0]?.text !== 'compose' || wrapper.after === undefined) return [];
  const compose = WRAPPERS.get('docker-compose');
  const program = operands[0];
  return compose === undefined ? [] : wrapped({ ...command, argv: [program, ...operands.slice(1)], name: 'docker-compose' }, compose);
}

/** Variables whose value the next program hands to a shell or starts. */
const COMMAND_VARIABLES = /^(?:(?:GIT_|MAN|SYSTEMD_|AWS_|DELTA_|BAT_)?PAGER|(?:GIT_|GIT_SEQUENCE_|SUDO_|FC|KUBE_)?EDITOR|VISUAL|BROWSER|GIT_SSH(?:_COMMAND)?|GIT_EXTERNAL_DIFF|GIT_PROXY_COMMAND|(?:GIT|SSH|SUDO)_ASKPASS|LESSOPEN|LESSCLOSE|PROMPT_COMMAND|RSYNC_RSH|CVS_RSH|SHELL|MAKESHELL|TAR_OPTIONS|PS4|MANOPT|FZF_DEFAULT_COMMAND|CC|CXX|LD|RUSTC_WRAPPER|CMAKE_C_COMPILER_LAUNCHER)$/;

function settingScripts(command: Invocation): Inner[] {
  const prompts = [...command.settings, ...declaredSettings(command)].filter((setting) => PROMPTS.test(setting.name)).map((setting) => substitutionsOf(setting.value.text, setting.value));
  const set = command.settings.filter((setting) => COMMAND_VARIABLES.test(setting.name) && setting.value.text !== '' && !isUnknown(setting.value.text));
  const found = set.map((setting): Inner => ({ kind: 'script', text: setting.name.startsWith('LESS') ? withoutBar(setting.value) : setting.value }));
  found.push(...prompts, ...command.settings.flatMap((setting) => subscriptScript(setting.value)));
  for (const { name, value } of declaredSettings(command)) {
    if (COMMAND_VARIABLES.test(name) && !isUnknown(value.text) && value.text !== '') found.push({ kind: 'script', text: value });
  }
  return found;
}

/** The `NAME=value` words of `export` and its kin. */
function declaredSettings(command: Invocation): Setting[] {
  if (!/^(?:export|declare|typeset|readonly|local)$/.test(command.name)) return [];
  return command.argv.slice(1).flatMap((field): Setting[] => {
    const name = /^(\w+)=/.exec(field.text)?.[1];
    return name === undefined ? [] : [{ name, value: sliceField(field, name.length + 1), start: field.start, end: field.end }];
  });
}

/** Variables that the shell expands each time it asks for a line: no commands, but what is substituted in them runs. */
const PROMPTS = /^(?:PS[0-3]|R?PROMPT|RPS1)$/;

/** LESSOPEN begins with a bar when the program is a filter. */
function withoutBar(value: Field): Field {
  const bars = /^\|{1,2}-?\s*/.exec(value.text)?.[0].length ?? 0;
  return sliceField(value, bars);
}

function optionInners(options: readonly Option[], wrapper: WrapperSpec): Inner[] {
  const found: Inner[] = [];
  for (const option of options) {
    if (option.value === undefined) continue;
    if (wrapper.scripts?.includes(option.name) === true || wrapper.programs?.includes(option.name) === true) found.push({ kind: 'script', text: option.value });
  }
  return found;
}

/** Takes `NAME=value` words off the front. */
export function leadingSettings(fields: readonly Field[], allowed: boolean): { fields: readonly Field[]; settings: readonly Setting[] } {
  const settings: Setting[] = [];
  let index = 0;
  while (allowed && index < fields.length) {
    const field = fields[index];
    const name = /^([^=]+)=/.exec(field?.text ?? '')?.[1];
    if (field === undefined || name === undefined) break;
    settings.push({ name, value: sliceField(field, name.length + 1), start: field.start, end: field.end });
    index++;
  }
  return { fields: fields.slice(index), settings };
}
