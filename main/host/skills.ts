/** Which skills a chat is told of, those that a message names, and the switches for them in config.yaml. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SessionId } from '../../preload/contract/ids.ts';
import type { JsonValue } from '../../tools/context.ts';
import { detailsOf } from '../../tools/shared/skills/details.ts';
import { texts } from '../../tools/shared/skills/format.ts';
import { type Skill, allSkills, findSkill, isDisabled, isNamed, isOffered, pathOf } from '../../tools/shared/skills/store.ts';
import { type FindNamedSkill, type NamedSkill, namedSkill } from '../agent/named-skills.ts';
import type { OfferedSkill } from '../agent/skills-prompt.ts';
import type { ConfigStore, Log, Storage } from '../ports.ts';
import { platformOf } from './platform.ts';

export interface SkillsParts {
  readonly home: string;
  readonly config: Pick<ConfigStore, 'get' | 'env'>;
  readonly storage: Pick<Storage, 'gateway' | 'values'>;
  readonly log: Pick<Log, 'error'>;
}

export function createChatSkills(parts: SkillsParts): { readonly skills: (sessionId: SessionId) => Promise<OfferedSkill[]>; readonly namedSkill: FindNamedSkill } {
  return { skills: createOfferedSkills(parts), namedSkill: createFindNamedSkill(parts) };
}

/** As Hermes' `/skill-name`: all of SKILL.md, for the message that begins with its name. What begins like that and names no skill is a message like any other. */
function createFindNamedSkill({ home, config, storage, log }: SkillsParts): FindNamedSkill {
  return async (sessionId, text) => {
    const name = namedSkill(text);
    if (name === undefined) return undefined;
    try {
      const found = findSkill(await allSkills(home), name);
      if ('error' in found) return found.extra?.['candidates'] === undefined ? undefined : notLoaded(`/${name} means several skills: ${texts(found.extra['candidates']).map((path) => `/${path}`).join(', ')}.`);
      const { skill } = found;
      if (isDisabled(skill, config, platformOf(storage, sessionId))) return notLoaded(`The skill ${pathOf(skill)} is switched off. It can be switched on in Skills.`);
      if (!isOffered(skill, config, platformOf(storage, sessionId))) return notLoaded(`The skill ${pathOf(skill)} is not meant for this system (${process.platform}).`);
      if (skill.problem !== undefined) return notLoaded(`The skill ${pathOf(skill)} cannot be used: ${skill.problem}`);
      return await loaded(skill, name, { home, config });
    } catch (error) {
      log.error('a skill that a message names could not be read', { name, error });
      return notLoaded(`The skill ${name} could not be read: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
}

const notLoaded = (first: string): NamedSkill => ({ first: `${first} The message was sent without it.`, rest: '' });

async function loaded(skill: Skill, name: string, { home, config }: Pick<SkillsParts, 'home' | 'config'>): Promise<NamedSkill> {
  const [content, { missing, files }] = await Promise.all([readFile(join(skill.folder, 'SKILL.md'), 'utf8'), detailsOf(skill, config)]);
  const others = [...files.references, ...files.templates, ...files.scripts, ...files.assets];
  const needs = missing.length === 0 ? '' : ` It needs ${missing.join(', ')}, which ${missing.length === 1 ? 'is' : 'are'} not set: put ${missing.length === 1 ? 'it' : 'them'} into ${join(home, '.env')}.`;
  return {
    first: `The skill ${pathOf(skill)} was loaded for this message.${needs}`,
    rest: [
      `The user named it with /${name}: follow its instructions for what the message asks. Its folder is ${skill.folder}.`,
      ...(others.length === 0 ? [] : [`It has other files, which skill_view reads with file_path when the instructions call for them: ${others.join(', ')}`]),
      ...(missing.length === 0 ? [] : ['Never ask for the values that are not set in the chat.']),
      '', content.replace(/^\uFEFF/, '').trim(),
    ].join('\n'),
  };
}

/** Skills for the system prompt of a chat. A skills folder that cannot be read must not keep a chat from its model: then there are none. */
function createOfferedSkills({ home, config, storage, log }: SkillsParts): (sessionId: SessionId) => Promise<OfferedSkill[]> {
  return async (sessionId) => {
    try {
      const platform = platformOf(storage, sessionId);
      return (await allSkills(home)).filter((skill) => skill.problem === undefined && isOffered(skill, config, platform)).map((skill) => ({ path: pathOf(skill), description: skill.description }));
    } catch (error) {
      log.error('the skills could not be read for the system prompt', { error });
      return [];
    }
  };
}

/** `list` of config.yaml with the skill taken off or put on. What else an entry named stays as it was. */
export function withSwitch(list: JsonValue | undefined, skill: Skill, off: boolean, all: readonly Skill[]): string[] {
  const now = texts(list);
  const same = (other: Skill): boolean => other.folder === skill.folder;
  if (off) return isNamed(skill, now) ? now : [...now, all.some((other) => !same(other) && isNamed(other, [skill.name])) ? pathOf(skill) : skill.name];
  const named = now.filter((entry) => isNamed(skill, [entry]));
  const left = now.filter((entry) => !named.includes(entry));
  const others = all.filter((other) => !same(other) && isNamed(other, named) && !isNamed(other, left)).map(pathOf);
  return [...left, ...others];
}
