/** `skill_manage`: creates, changes and removes skills. */
import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ToolContext } from '../context.ts';
import { SIMILARITY_STRATEGIES, closestSections, findMatches } from '../shared/match.ts';
import { replaceMatches } from '../shared/replace.ts';
import { describeThrown, toolError, toolResult } from '../result.ts';
import { archive, isPinned, publish, withSkills } from './change.ts';
import { MAX_FILE_BYTES, contentProblem, hermesField, nameProblem } from './format.ts';
import { pathInside } from './paths.ts';
import { type Skill, allSkills, findSkill, isAbsent, linkedFiles, pathOf } from './store.ts';
import { forgetViews } from './views.ts';

const ACTIONS = ['create', 'patch', 'edit', 'delete', 'write_file', 'remove_file'] as const;
type Action = (typeof ACTIONS)[number];
type Outcome = { readonly message: string; readonly [extra: string]: unknown } | { readonly error: string; readonly [extra: string]: unknown };

interface Given {
  readonly action: Action; readonly name: string; readonly content: string | undefined; readonly oldString: string | undefined; readonly newString: string | undefined;
  readonly replaceAll: boolean; readonly category: string | undefined; readonly filePath: string | undefined; readonly fileContent: string | undefined; readonly absorbedInto: string | undefined;
}

export async function manageSkill(args: Record<string, unknown>, context: ToolContext): Promise<string> {
  const action = ACTIONS.find((name) => name === args['action']);
  if (action === undefined) return finish({ error: `Unknown action. Use one of ${ACTIONS.join(', ')}.` });
  const text = (name: string): string | undefined => (typeof args[name] === 'string' ? args[name] : undefined);
  const name = text('name')?.trim() ?? '';
  if (name === '') return finish({ error: "skill_manage needs 'name': the name of the skill." });
  const filled = (field: string): string | undefined => (text(field)?.trim() === '' ? undefined : text(field)?.trim());
  const given: Given = {
    action, name, content: text('content'), oldString: text('old_string'), newString: text('new_string'), replaceAll: args['replace_all'] === true,
    category: filled('category'), filePath: filled('file_path'), fileContent: text('file_content'), absorbedInto: text('absorbed_into'),
  };
  const refused = await askPerson(given, context);
  if (refused !== undefined) return finish({ error: refused });
  const { home } = context.services.paths;
  const outcome = await withSkills(home, async (root) => {
    const skills = await allSkills(home);
    if (action === 'create') return create(root, skills, given);
    const found = findSkill(skills, name);
    if ('error' in found) return { error: found.error, ...found.extra };
    return change(root, skills, found.skill, given);
  });
  if (!('error' in outcome)) forgetViews(context.sessionId);
  return finish(outcome);
}

function finish(outcome: Outcome): string {
  if (!('error' in outcome)) return toolResult({ success: true, ...outcome });
  const { error, ...extra } = outcome;
  return toolError(String(error), { success: false, ...extra });
}

/** `skills.write_approval` of config.yaml: a person agrees to each change. Undefined = go on. */
async function askPerson(given: Given, { services, cwd, sessionId, taskId, toolCallId, signal, emit }: ToolContext): Promise<string | undefined> {
  if (services.config.get('skills.write_approval') !== true) return undefined;
  const words = [given.action, given.name, given.filePath, given.content ?? given.fileContent ?? given.newString].filter((part) => part !== undefined).join(' ');
  const outcome = await services.approvals.review({
    tool: 'skill_manage', command: words, cwd, sessionId, taskId, toolCallId, signal,
    requirePerson: { description: 'Change a skill', ruleKey: 'skill_write' },
    onWaiting: (approvalId, waiting) => emit({ kind: 'approval', approvalId, state: waiting ? 'waiting' : 'settled' }),
  });
  return outcome.approved ? undefined : outcome.message ?? 'The person did not agree to this change of a skill.';
}

async function create(root: string, skills: readonly Skill[], { name, category, content }: Given): Promise<Outcome> {
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
  if (await exists(join(inside.path, '..'))) return { error: `There is a folder for '${name}' that holds no SKILL.md. Choose another name, or ask the person to look at it.` };
  const problem = await publish(inside.path, content);
  if (problem !== undefined) return { error: problem };
  return { message: `Skill '${name}' was created.`, path: inside.path, ...(category !== undefined && { category }), hint: 'Add files under references/, templates/, scripts/ or assets/ with write_file.' };
}

async function change(root: string, skills: readonly Skill[], skill: Skill, given: Given): Promise<Outcome> {
  switch (given.action) {
    case 'edit': return edit(skill, given);
    case 'patch': return patch(skill, given);
    case 'write_file': return writeSupport(skill, given);
    case 'remove_file': return removeSupport(skill, given);
    case 'delete': return remove(root, skills, skill, given);
    case 'create': return { error: 'A skill that is there cannot be created.' };
  }
}

async function edit(skill: Skill, { content }: Given): Promise<Outcome> {
  if (content === undefined) return { error: "edit needs 'content': the whole new SKILL.md. Use patch to change a part." };
  const path = join(skill.folder, 'SKILL.md');
  const problem = await contentProblem(content) ?? await publish(path, content);
  return problem === undefined ? { message: `Skill '${skill.name}' was rewritten.`, path } : { error: problem };
}

async function patch(skill: Skill, { filePath, oldString, newString, replaceAll }: Given): Promise<Outcome> {
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

async function writeSupport(skill: Skill, { filePath, fileContent }: Given): Promise<Outcome> {
  if (fileContent === undefined) return { error: "write_file needs 'file_content': the whole text of the file." };
  if (Buffer.byteLength(fileContent) > MAX_FILE_BYTES) return { error: 'The file is larger than 1 MiB. Split it.' };
  const inside = await pathInside(skill.folder, filePath ?? '', true);
  if ('error' in inside) return inside;
  const problem = await publish(inside.path, fileContent);
  return problem === undefined ? { message: `${inside.relativePath} of skill '${skill.name}' was written.`, path: inside.path } : { error: problem };
}

async function removeSupport(skill: Skill, { filePath }: Given): Promise<Outcome> {
  const inside = await pathInside(skill.folder, filePath ?? '', true);
  if ('error' in inside) return inside;
  if (await readText(inside.path) === undefined) return { error: `The skill has no file ${inside.relativePath}.`, linked_files: await linkedFiles(skill) };
  await rm(inside.path);
  return { message: `${inside.relativePath} of skill '${skill.name}' was removed.`, path: inside.path };
}

async function remove(root: string, skills: readonly Skill[], skill: Skill, { absorbedInto }: Given): Promise<Outcome> {
  try {
    if (await isPinned(root, skill.name) || hermesField(skill.frontmatter, 'pinned') === true) return { error: `Skill '${skill.name}' is pinned and cannot be deleted. Ask the person to unpin it, or change it with patch.` };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { error: `Whether skill '${skill.name}' is pinned cannot be told: ${join(root, '.usage.json')} is damaged (${describeThrown(error)}). Ask the person to repair or remove that file.` };
  }
  const heir = absorbedInto?.trim() ?? '';
  if (heir !== '') {
    const found = findSkill(skills, heir);
    if ('error' in found) return { error: `absorbed_into: ${found.error}` };
    if (found.skill.folder === skill.folder) return { error: 'absorbed_into names the skill itself. Name the one that took over what it held, or leave it out.' };
  }
  const kept = await archive(root, skill.folder, new Date());
  return { message: `Skill '${skill.name}' was deleted${heir === '' ? '' : `; '${heir}' holds what it held`}.`, kept_at: kept, ...(heir !== '' && { absorbed_into: heir }) };
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return (await stat(path)).isFile() ? await readFile(path, 'utf8') : undefined;
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}
