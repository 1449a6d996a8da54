/** What a person or a model has to know of a skill before using it: its tags, the variables it needs, the files that belong to it. */
import type { ConfigReader } from '../../context.ts';
import { type Environment, hermesField, requiredEnvironment, texts } from './format.ts';
import { type LinkedFiles, type Skill, linkedFiles } from './store.ts';

export interface SkillDetails {
  readonly tags: readonly string[];
  readonly related: readonly string[];
  readonly required: readonly Environment[];
  /** Names of required variables that are empty or not set. */
  readonly missing: readonly string[];
  readonly files: LinkedFiles;
}

export async function detailsOf(skill: Skill, config: Pick<ConfigReader, 'env'>): Promise<SkillDetails> {
  const required = requiredEnvironment(skill.frontmatter);
  return {
    tags: texts(hermesField(skill.frontmatter, 'tags')), related: texts(hermesField(skill.frontmatter, 'related_skills')), required,
    missing: required.filter(({ name }) => (config.env(name) ?? '') === '').map(({ name }) => name), files: await linkedFiles(skill),
  };
}
