import { expect, test } from 'vitest';
import type { SkillInfo } from '../../../../preload/contract/index.ts';
import { groupSkills, languageOf, sourceWords, withoutFields, withSwitched } from '../../../../renderer/features/skills/model.ts';

const skill = (path: string, change: Partial<SkillInfo> = {}): SkillInfo => {
  const [name = '', category = null] = path.split('/').reverse();
  return { path, name, category, description: `How to ${name}.`, folder: `/home/skills/${path}`, source: 'own', enabled: true, offIn: [], suits: true, pinned: false, missing: [], problem: null, ...change };
};
const all = [skill('brew'), skill('dev/deploy', { description: 'Ships the build.' }), skill('dev/review')];

test('skills are grouped by category and found by all of the words, wherever they stand', () => {
  const found = (query: string) => groupSkills(all, query).map(({ category, skills }) => [category, skills.map(({ name }) => name)]);
  expect(found('')).toEqual([[null, ['brew']], ['dev', ['deploy', 'review']]]);
  expect(found('DEV build')).toEqual([['dev', ['deploy']]]);
  expect(found('build brew')).toEqual([]);
});

test('a switch moves at once, for all chats or for one platform', () => {
  const list = { folder: '/home/skills', platforms: ['cli', 'telegram'], skills: all };
  expect(withSwitched(list, 'brew', false, undefined).skills.map(({ enabled }) => enabled)).toEqual([false, true, true]);
  const off = withSwitched(list, 'dev/review', false, 'telegram');
  expect(off.skills[2]?.offIn).toEqual(['telegram']);
  expect(withSwitched(off, 'dev/review', true, 'telegram').skills[2]?.offIn).toEqual([]);
});

test('the fields of SKILL.md are left out of what is read, and only those', () => {
  expect(withoutFields('---\nname: a\n---\n\n# Title\n---\nmore')).toBe('# Title\n---\nmore');
  expect(withoutFields('no fields\n---\nx\n---')).toBe('no fields\n---\nx\n---');
});

test('sources and languages in words', () => {
  expect([sourceWords('own'), sourceWords('bundled'), sourceWords('hub:github'), sourceWords('hub:')]).toEqual([undefined, 'came with Hermes', 'from github', 'from a hub']);
  expect([languageOf('scripts/a.SH'), languageOf('Makefile')]).toEqual(['sh', '']);
});
