/** `skills`: what skills there are, one of them in full, and the switches. */
import type { SkillInfo } from '../../../../preload/contract/index.ts';
import { CALLER, EXIT, UsageError, type CommandContext, type ExitCode } from '../command.ts';
import type { CliHost } from '../host-port.ts';
import { print, printJson } from '../streams.ts';
import { visibleLine, visibleProse } from '../visible.ts';

const ACTIONS = ['list', 'show', 'enable', 'disable'] as const;

export interface SkillChoices {
  /** A file of the skill instead of its SKILL.md. */
  readonly file?: string;
  /** Only for the chats of this platform. */
  readonly platform?: string;
}

export function skills(context: CommandContext, action: string, name: string | undefined, choices: SkillChoices): Promise<ExitCode> {
  const known = ACTIONS.find((each) => each === action);
  if (known === undefined || (known === 'list') !== (name === undefined)) throw new UsageError('skills takes nothing, or: show NAME, enable NAME, disable NAME');
  if (choices.file !== undefined && known !== 'show') throw new UsageError('--file belongs to: skills show NAME');
  if (choices.platform !== undefined && known !== 'enable' && known !== 'disable') throw new UsageError('--platform belongs to: skills enable NAME, skills disable NAME');
  return context.withHost({}, async (host) => {
    if (name === undefined) await list(context, host);
    else if (known === 'show') await show(context, host, name, choices.file);
    else await set(context, host, name, known === 'enable', choices.platform);
    return EXIT.done;
  });
}

/** By category/name, else by the name alone where that means one. */
async function find(host: CliHost, name: string): Promise<SkillInfo> {
  const { skills: all, folder } = await host.handle('skills.list', {}, CALLER);
  const matches = all.filter(({ path }) => path === name);
  const found = matches.length > 0 ? matches : all.filter((skill) => skill.name === name);
  const [first, second] = found;
  if (first === undefined) throw new UsageError(`there is no skill '${name}'`, all.length === 0 ? `There are none in ${folder}.` : 'See talaria skills.');
  if (second !== undefined) throw new UsageError(`'${name}' means several skills`, `Name one of ${found.map(({ path }) => path).join(', ')}.`);
  return first;
}

async function list(context: CommandContext, host: CliHost): Promise<void> {
  const { skills: all, folder } = await host.handle('skills.list', {}, CALLER);
  if (context.json) printJson(context.streams.stdout, all);
  else if (all.length === 0) print(context.streams.stdout, `There are no skills in ${folder}. A skill is a folder there with a SKILL.md; the model makes them with skill_manage.`);
  else for (const skill of all) line(context, skill);
}

function line({ paint, streams }: CommandContext, { path, description, enabled, suits, offIn, missing, problem }: SkillInfo): void {
  const notes = [
    ...(enabled ? [] : ['off']), ...(suits ? [] : ['not for this system']), ...(offIn.length === 0 ? [] : [`off in ${offIn.join(', ')}`]), ...(missing.length === 0 ? [] : [`needs ${missing.join(', ')}`]), ...(problem === null ? [] : [problem]),
  ];
  const mark = problem !== null ? paint('red', '✗') : enabled && suits ? paint('green', '✓') : paint('dim', '○');
  print(streams.stdout, `${mark} ${paint('bold', visibleLine(path).padEnd(28))} ${paint('dim', visibleLine(description))}`);
  if (notes.length > 0) print(streams.stdout, `    ${paint('yellow', visibleLine(notes.join(' · ')))}`);
}

async function show({ json, streams }: CommandContext, host: CliHost, name: string, file: string | undefined): Promise<void> {
  const { path } = await find(host, name);
  const read = await host.handle('skills.read', { path, file: file ?? 'SKILL.md' }, CALLER);
  if (json) printJson(streams.stdout, read);
  else if (read.text === null) throw new UsageError(`${read.file} is no text`, `It lies in ${read.skill.folder}.`);
  else {
    print(streams.stdout, streams.interactive ? visibleProse(read.text) : read.text);
    if (file === undefined && read.files.length > 0) streams.stderr.write(`Other files: ${read.files.map(visibleLine).join(' ')}\n`);
  }
}

async function set(context: CommandContext, host: CliHost, name: string, enabled: boolean, platform: string | undefined): Promise<void> {
  const { path } = await find(host, name);
  const { skills: all } = await host.handle('skills.set', { path, enabled, ...(platform === undefined ? {} : { platform }) }, CALLER);
  const changed = all.filter((skill) => skill.path === path);
  if (context.json) printJson(context.streams.stdout, changed);
  else for (const skill of changed) line(context, skill);
}
