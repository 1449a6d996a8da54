/** Which skills a chat is told of, and the switches for them in config.yaml. */
import type { SessionId } from '../../preload/contract/ids.ts';
import type { JsonValue } from '../../tools/context.ts';
import { texts } from '../../tools/shared/skills/format.ts';
import { type Skill, allSkills, isNamed, isOffered, pathOf } from '../../tools/shared/skills/store.ts';
import type { OfferedSkill } from '../agent/skills-prompt.ts';
import type { ConfigStore, Log, Storage } from '../ports.ts';
import { platformOf } from './platform.ts';

export interface SkillsParts {
  readonly home: string;
  readonly config: Pick<ConfigStore, 'get'>;
  readonly storage: Pick<Storage, 'gateway' | 'values'>;
  readonly log: Pick<Log, 'error'>;
}

/** Skills for the system prompt of a chat. A skills folder that cannot be read must not keep a chat from its model: then there are none. */
export function createOfferedSkills({ home, config, storage, log }: SkillsParts): (sessionId: SessionId) => Promise<OfferedSkill[]> {
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
