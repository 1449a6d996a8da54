/** Changes of skills, whoever wants them: a model through `skill_manage`, a person on the skills page or the command line (hermes-runtime 7.5). */
import { createHash } from 'node:crypto';
import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { SIMILARITY_STRATEGIES, closestSections, findMatches } from '../match.ts';
import { replaceMatches } from '../replace.ts';
import { archive, isThere, publish, withSkills } from './change.ts';
import { MAX_FILE_BYTES, contentProblem, nameProblem } from './format.ts';
import { readMarks } from './marks.ts';
import { pathInside } from './paths.ts';
import { type Skill, allSkills, findSkill, isAbsent, linkedFiles, pathOf } from './store.ts';

export const ACTIONS = ['create', 'patch', 'edit', 'delete', 'write_file', 'remove_file'] as const;
export type Action = (typeof ACTIONS)[number];
export type Outcome = { readonly message: string; readonly [extra: string]: unknown } | { readonly error: string; readonly [extra: string]: unknown };

export interface SkillChange {
  readonly action: Action;
  /** As `findSkill` takes it; for `create` the name of the new folder. */
  readonly name: string;
  readonly content?: string | undefined;
  readonly oldString?: string | undefined;
  readonly newString?: string | undefined;
  readonly replaceAll?: boolean;
  readonly category?: string | undefined;
  readonly filePath?: string | undefined;
  readonly fileContent?: string | undefined;
  readonly absorbedInto?: string | undefined;
  /** `edit` and `write_file`: the version (`versionOf`) that the change was made from, null for none. Another one refuses the change. */
  readonly expected?: string | null;
}

/** Changes with the content. */
export function versionOf(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** In words, when somebody else has changed the file since. */
async function staleProblem(path: string, { expected }: SkillChange): Promise<string | undefined> {
  if (expected === undefined) return undefined;
  const now = await readText(path);
  return (now === undefined ? null : versionOf(now)) === expected ? undefined : `${path} was changed meanwhile, by a chat or by hand.`;
}

/** One change, all checks included; `error` in words with everything as before. Throws only what the file system throws. */
export function changeSkills(home: string, given: SkillChange): Promise<Outcome> {
  return withSkills(home, async (root) => {
    const skills = await allSkills(home);
    if (given.action === 'create') return create(root, skills, given);
    const found = findSkill(skills, given.name);
    if ('error' in found) return { error: found.error, ...found.extra };
    return change(root, skills, found.skill, given);
  });
}

async function create(root: string, skills: readonly Skill[], { name, category, content }: SkillChange): Promise<Outcome> {
  const wrongName = nameProblem(name) ?? (category === undefined ? undefined : nameProblem(category, 'category'));
  if (wrongName !== undefined) return { error: wrongName };
  if (content === undefined) return { error: "create needs 'content': the whole SKILL.md." };
  const wrong = await contentProblem(content);
  if (wrong !== undefined) return { error: wrong };
  const same = skills.find((skill) => skill.name === name);
  if (same !== undefined) return { error: `There is a skill '${pathOf(same)}' already. Use patch or edit to change it, or another name.` };
  const inside = await pathInside(root, category === undefined ? `${name}/SKILL.md` : `${category}/${name}/SKILL.md`, false);
  if ('error' in inside) return inside;
  const parent = skills.find((skill) => category !== undefined && skill.folder === join(root, category));
  if (parent !== undefined) return { error: `'${parent.name}' is a skill, so it cannot be a category. Choose another category.` };
  if (await isThere(join(inside.path, '..'))) return { error: `There is a folder for '${name}' that holds no SKILL.md. Choose another name, or ask the person to look at it.` };
  const problem = await publish(inside.path, content);
  if (problem !== undefined) return { error: problem };
  return { message: `Skill '${name}' was created.`, path: inside.path, ...(category !== undefined && { category }), hint: 'Add files under references/, templates/, scripts/ or assets/ with write_file.' };
}

async function change(root: string, skills: readonly Skill[], skill: Skill, given: SkillChange): Promise<Outcome> {
  switch (given.action) {
    case 'edit': return edit(skill, given);
    case 'patch': return patch(skill, given);
    case 'write_file': return writeSupport(skill, given);
    case 'remove_file': return removeSupport(skill, given);
    case 'delete': return remove(root, skills, skill, given);
    case 'create': return { error: 'A skill that is there cannot be created.' };
  }
}

async function edit(skill: Skill, given: SkillChange): Promise<Outcome> {
  const { content } = given;
  if (content === undefined) return { error: "edit needs 'content': the whole new SKILL.md. Use patch to change a part." };
  const path = join(skill.folder, 'SKILL.md');
  const stale = await staleProblem(path, given);
  if (stale !== undefined) return { error: stale, stale: true };
  const problem = await contentProblem(content) ?? await publish(path, content);
  return problem === undefined ? { message: `Skill '${skill.name}' was rewritten.`, path } : { error: problem };
}

async function patch(skill: Skill, { filePath, oldString, newString, replaceAll = false }: SkillChange): Promise<Outcome> {
  if (oldString === undefined || oldString.trim() === '') return { error: "patch needs 'old_string': the text to replace, quoted from the file." };
  if (newString === undefined) return { error: "patch needs 'new_string': the text to put in its place (it may be empty)." };
  const inside = await pathInside(skill.folder, filePath ?? 'SKILL.md', filePath !== undefined && filePath !== 'SKILL.md');
  if ('error' in inside) return inside;
  const text = await readText(inside.path);
  if (text === undefined) return { error: `The skill has no file ${inside.relativePath}.`, linked_files: await linkedFiles(skill) };
  const match = findMatches(text, oldString);
  if (match === undefined) return { error: 'Could not find a match for old_string in the file. Read it with skill_view and quote it as it stands there.', closest: closestSections(text, oldString) };
  if (match.ranges.length > 1 && !replaceAll) return { error: `Found ${String(match.ranges.length)} matches for old_string. Add more of the lines around it, or set replace_all.` };
  if (replaceAll && SIMILARITY_STRATEGIES.has(match.strategy)) return { error: 'replace_all needs text that is in the file as quoted; only similar text was found.', closest: closestSections(text, oldString) };
  const replaced = replaceMatches(text, match, newString);
  if ('refused' in replaced) return { error: replaced.refused };
  if (Buffer.byteLength(replaced.text) > MAX_FILE_BYTES) return { error: 'The file would be larger than 1 MiB. Split it.' };
  const problem = await publish(inside.path, replaced.text);
  return problem === undefined ? { message: `Replaced ${String(match.ranges.length)} place(s) in ${inside.relativePath} of skill '${skill.name}'.`, path: inside.path, replacements: match.ranges.length } : { error: problem };
}

async function writeSupport(skill: Skill, given: SkillChange): Promise<Outcome> {
  const { filePath, fileContent } = given;
  if (fileContent === undefined) return { error: "write_file needs 'file_content': the whole text of the file." };
  if (Buffer.byteLength(fileContent) > MAX_FILE_BYTES) return { error: 'The file is larger than 1 MiB. Split it.' };
  const inside = await pathInside(skill.folder, filePath ?? '', true);
  if ('error' in inside) return inside;
  const stale = await staleProblem(inside.path, given);
  if (stale !== undefined) return { error: stale, stale: true };
  const problem = await publish(inside.path, fileContent);
  return problem === undefined ? { message: `${inside.relativePath} of skill '${skill.name}' was written.`, path: inside.path } : { error: problem };
}

async function removeSupport(skill: Skill, { filePath }: SkillChange): Promise<Outcome> {
  const inside = await pathInside(skill.folder, filePath ?? '', true);
  if ('error' in inside) return inside;
  if (await readText(inside.path) === undefined) return { error: `The skill has no file ${inside.relativePath}.`, linked_files: await linkedFiles(skill) };
  await rm(inside.path);
  return { message: `${inside.relativePath} of skill '${skill.name}' was removed.`, path: inside.path };
}

async function remove(root: string, skills: readonly Skill[], skill: Skill, { absorbedInto }: SkillChange): Promise<Outcome> {
  const pinned = (await readMarks(root)).isPinned(skill);
  if (pinned === undefined) return { error: `Whether skill '${skill.name}' is pinned cannot be told: ${join(root, '.usage.json')} is damaged. Ask the person to repair or remove that file.` };
  if (pinned) return { error: `Skill '${skill.name}' is pinned and cannot be deleted. Ask the person to unpin it, or change it with patch.` };
  const heir = absorbedInto?.trim() ?? '';
  if (heir !== '') {
    const found = findSkill(skills, heir);
    if ('error' in found) return { error: `absorbed_into: ${found.error}` };
    if (found.skill.folder === skill.folder) return { error: 'absorbed_into names the skill itself. Name the one that took over what it held, or leave it out.' };
  }
  const kept = await archive(root, skill.folder, new Date());
  return { message: `Skill '${skill.name}' was deleted${heir === '' ? '' : `; '${heir}' holds what it held`}.`, kept_at: kept, ...(heir !== '' && { absorbed_into: heir }) };
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return (await stat(path)).isFile() ? await readFile(path, 'utf8') : undefined;
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}
