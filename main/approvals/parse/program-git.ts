/** git: configuration that is a command, and sub-commands that run others. */
import type { Inner, Invocation, ProgramReader } from './model.ts';
import { type OptionSpec, readOptions, type ReadOptions } from './options.ts';
import { type Field, madeField, sliceField } from './text.ts';

/** Options that stand before git's sub-command (git 2.50). */
const GIT_OPTIONS: OptionSpec = {
  short: 'Cc', flags: 'pPhv', long: ['git-dir', 'work-tree', 'namespace', 'super-prefix', 'config-env', 'exec-path', 'attr-source', 'list-cmds'],
  longFlags: ['bare', 'paginate', 'no-pager', 'no-replace-objects', 'literal-pathspecs', 'glob-pathspecs', 'noglob-pathspecs', 'icase-pathspecs', 'no-optional-locks', 'no-advice', 'version', 'help', 'html-path', 'man-path', 'info-path'],
};

/** Configuration keys whose value is run. */
const COMMAND_KEYS = /^(?:core\.(?:pager|editor|sshcommand|askpass|fsmonitor|alternaterefscommand|gitproxy)|pager\..+|sequence\.editor|diff\.external|diff\..+\.(?:command|textconv)|merge\..+\.driver|filter\..+\.(?:clean|smudge|process)|difftool\..+\.cmd|mergetool\..+\.cmd|credential(?:\..+)?\.helper|gpg(?:\..+)?\.program|uploadpack\.packobjectshook|remote\..+\.(?:uploadpack|receivepack)|sendemail\..*cmd|web\.browser|browser\..+\.cmd|interactive\.difffilter|trailer\..+\.(?:command|cmd))$/i;

export function readGit(command: Invocation): ReadOptions & { verb: Field | undefined; rest: readonly Field[] } {
  const read = readOptions(command.argv, GIT_OPTIONS);
  const exec = read.options.find((option) => option.name === 'exec-path' && !option.field.text.includes('='));
  const operands = exec?.value === undefined ? read.operands : [exec.value, ...read.operands];
  return { ...read, operands, verb: operands[0], rest: operands.slice(1) };
}

/** What a configured value runs: aliases with `!` and command keys are shell text; other aliases are git words. */
function configured(key: string, value: Field | undefined): Inner[] {
  if (value === undefined) return [];
  const isAlias = /^alias\./i.test(key);
  if (isAlias || /^credential/i.test(key)) return value.text.startsWith('!') ? [{ kind: 'script', text: sliceField(value, 1) }] : [];
  return COMMAND_KEYS.test(key) && !/^(?:true|false|yes|no)?$/i.test(value.text) ? [{ kind: 'script', text: value }] : [];
}

function git(command: Invocation): Inner[] {
  const { options, verb, rest } = readGit(command);
  const found: Inner[] = [];
  for (const option of options) {
    if (option.name !== 'c' || option.value === undefined) continue;
    const equals = option.value.text.indexOf('=');
    const key = equals === -1 ? option.value.text : option.value.text.slice(0, equals);
    const value = equals === -1 ? undefined : sliceField(option.value, equals + 1);
    found.push(...configured(key, value));
    // `git -c alias.x='reset --hard' x` runs the alias at once.
    if (value !== undefined && verb !== undefined && key.toLowerCase() === `alias.${verb.text.toLowerCase()}` && !value.text.startsWith('!')) {
      found.push({ kind: 'script', text: madeField(`git ${value.text} ${rest.map((field) => field.text).join(' ')}`, value.start, value.end) });
    }
  }
  for (const { name, value } of command.settings) {
    const key = command.settings.find((other) => other.name === name.replace('VALUE', 'KEY'));
    if (/^GIT_CONFIG_VALUE_\d+$/.test(name) && key !== undefined) found.push(...configured(key.value.text, value));
  }
  if (verb !== undefined) found.push(...subcommand(verb, rest));
  return found;
}

function subcommand(verb: Field, rest: readonly Field[]): Inner[] {
  const words = rest.filter((field) => !field.text.startsWith('-'));
  switch (verb.text) {
    case 'config': {
      const set = words[0]?.text === 'set' ? words.slice(1) : words;
      return set[0] === undefined ? [] : configured(set[0].text, set[1]);
    }
    case 'bisect':
      return rest[0]?.text === 'run' && rest[1] !== undefined ? [{ kind: 'argv', fields: rest.slice(1) }] : [];
    case 'submodule':
      return after(rest, 'foreach', /^--recursive$|^--quiet$|^-q$/);
    case 'rebase':
      return optionScripts(rest, /^(?:-x|--exec)$/, /^--exec=/);
    case 'filter-branch':
      return optionScripts(rest, /^--(?:env|tree|index|parent|msg|commit|tag-name)-filter$/, /^--(?:env|tree|index|parent|msg|commit|tag-name)-filter=/);
    case 'difftool':
    case 'mergetool':
      return optionScripts(rest, /^(?:-x|--extcmd)$/, /^--extcmd=/);
    case 'grep':
      return optionScripts(rest, /^--open-files-in-pager$/, /^(?:--open-files-in-pager=|-O)/);
    case 'fetch':
    case 'pull':
    case 'clone':
    case 'ls-remote':
    case 'push':
    case 'archive':
      return optionScripts(rest, /^(?:--upload-pack|--receive-pack|--exec|-u(?=$))$/, /^(?:--upload-pack|--receive-pack|--exec)=/).filter((inner) => verb.text !== 'push' || !(inner.kind === 'script' && /^(?:origin|upstream)$/.test(inner.text.text))).concat(transport(words));
    case 'remote':
      return transport(words);
    default:
      return [];
  }
}

/** `ext::sh -c …` as a repository address runs the text. */
function transport(words: readonly Field[]): Inner[] {
  return words.filter((field) => /^ext::/.test(field.text)).map((field) => ({ kind: 'script', text: sliceField(field, 5) }));
}

function after(rest: readonly Field[], word: string, skip: RegExp): Inner[] {
  const at = rest.findIndex((field) => field.text === word);
  if (at === -1) return [];
  const command = rest.slice(at + 1).filter((field) => !skip.test(field.text));
  const only = command[0];
  if (only === undefined) return [];
  return command.length === 1 ? [{ kind: 'script', text: only }] : [{ kind: 'argv', fields: command }];
}

function optionScripts(rest: readonly Field[], separate: RegExp, attached: RegExp): Inner[] {
  const found: Inner[] = [];
  for (const [index, field] of rest.entries()) {
    const next = rest[index + 1];
    const match = attached.exec(field.text);
    if (separate.test(field.text) && next !== undefined) found.push({ kind: 'script', text: next });
    else if (match !== null && match[0].length < field.text.length) found.push({ kind: 'script', text: sliceField(field, match[0].length) });
  }
  return found;
}

export const gitPrograms: readonly [string, ProgramReader][] = [['git', git]];
