/** `skill_view`: the instructions of one skill, or one of its files. */
import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ToolContext } from '../context.ts';
import { toolError, toolResult } from '../result.ts';
import { detailsOf } from '../shared/skills/details.ts';
import { MAX_FILE_BYTES, suitsPlatform } from '../shared/skills/format.ts';
import { pathInside } from '../shared/skills/paths.ts';
import { type Skill, allSkills, findSkill, isAbsent, isDisabled, linkedFiles } from '../shared/skills/store.ts';
import { wasShown } from './views.ts';

const failed = (error: string, extra: Readonly<Record<string, unknown>> = {}): string => toolError(error, { success: false, ...extra });

export async function viewSkill(args: Record<string, unknown>, context: ToolContext): Promise<string> {
  const { name, file_path: filePath } = args;
  if (typeof name !== 'string' || name.trim() === '') return failed("skill_view needs 'name'. Call skills_list for the names.");
  if (name.includes(':')) return failed(`'${name}' names a skill of a plugin, and no plugin here has skills. Call skills_list for the names.`);
  const { services, sessionId, platform } = context;
  const found = findSkill(await allSkills(services.paths.home), name);
  if ('error' in found) return failed(found.error, found.extra);
  const { skill } = found;
  if (isDisabled(skill, services.config, platform)) return failed(`Skill '${skill.name}' is switched off under skills in config.yaml. Ask the person whether to use it.`);
  if (!suitsPlatform(skill.frontmatter)) return failed(`Skill '${skill.name}' is not meant for this system (${process.platform}).`, { readiness_status: 'unsupported' });
  const inside = await pathInside(skill.folder, typeof filePath === 'string' && filePath.trim() !== '' ? filePath : 'SKILL.md', false);
  if ('error' in inside) return failed(inside.error);
  const bytes = await readSmall(inside.path);
  if (typeof bytes === 'string') return failed(`${inside.relativePath}: ${bytes}`, { linked_files: await linkedFiles(skill) });
  if (bytes.includes(0)) return failed(`${inside.relativePath} is no text. Its path is ${inside.path}.`, { is_binary: true, path: inside.path });
  if (wasShown(sessionId, inside.path, createHash('sha256').update(bytes).digest('hex'))) {
    return toolResult({ success: true, name: skill.name, status: 'unchanged', path: inside.path, message: 'You have read exactly this in this chat already; it has not changed since.' });
  }
  const content = bytes.toString('utf8');
  if (inside.relativePath !== 'SKILL.md') return toolResult({ success: true, name: skill.name, file: inside.relativePath, content, path: inside.path });
  return toolResult({ success: true, name: skill.name, ...await about(skill, context), content });
}

async function about(skill: Skill, { services }: ToolContext): Promise<Readonly<Record<string, unknown>>> {
  const { tags, related, required, missing, files } = await detailsOf(skill, services.config);
  const { references, templates, scripts, assets } = files;
  const hasFiles = [references, templates, scripts, assets].some((list) => list.length > 0);
  return {
    description: skill.description, tags, related_skills: related,
    path: join(skill.folder, 'SKILL.md'), skill_dir: skill.folder, linked_files: files,
    usage_hint: hasFiles ? 'Read the files named in linked_files with skill_view and file_path when the instructions call for them.' : 'The skill has no other files.',
    required_environment_variables: required, missing_required_environment_variables: missing, setup_needed: missing.length > 0,
    readiness_status: missing.length > 0 ? 'setup_needed' : 'available',
    ...(missing.length > 0 && { setup_note: `Ask the person to put ${missing.join(', ')} into ${join(services.paths.home, '.env')}. Never ask for the values in the chat.` }),
    ...(skill.problem !== undefined && { problem: skill.problem }),
  };
}

async function readSmall(path: string): Promise<Buffer | string> {
  try {
    const stats = await stat(path);
    if (!stats.isFile()) return 'this is no file. linked_files names the files of the skill.';
    if (stats.size > MAX_FILE_BYTES) return 'the file is larger than 1 MiB. Read it in parts with read_file.';
    return await readFile(path);
  } catch (error) {
    if (isAbsent(error)) return 'the skill has no such file. linked_files names those it has.';
    throw error;
  }
}
