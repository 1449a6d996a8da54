/** Skills as they lie in the home: `skills/<name>/SKILL.md` or `skills/<category>/<name>/SKILL.md`. Looked at anew each time; only what has changed is read again. */
import { readFile, readdir, realpath, stat } from 'node:fs/promises';
import { basename, join, relative, sep } from 'node:path';
import type { ConfigReader } from '../../context.ts';
import { type Frontmatter, MAX_DESCRIPTION_CHARS, MAX_FILE_BYTES, SUPPORT_FOLDERS, parseSkill, suitsPlatform, texts } from './format.ts';

const MAX_DEPTH = 4;
const MAX_SKILLS = 2_000;

export interface Skill {
  /** The folder's name. */
  readonly name: string;
  /** Folders between skills/ and the skill, joined by /; null = none. */
  readonly category: string | null;
  /** Absolute, links resolved. */
  readonly folder: string;
  readonly description: string;
  readonly frontmatter: Frontmatter;
  /** Why SKILL.md cannot be read as one; its content is still there. */
  readonly problem?: string;
}

export const skillsFolder = (home: string): string => join(home, 'skills');

/** With links resolved; undefined where there is none. */
export async function realSkillsFolder(home: string): Promise<string | undefined> {
  try {
    return await realpath(skillsFolder(home));
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

/** Every skill, sorted by category and name. Hidden folders and folders reached through links are passed over. */
export async function allSkills(home: string): Promise<Skill[]> {
  const root = await realSkillsFolder(home);
  if (root === undefined) return [];
  const found: Skill[] = [];
  async function walk(folder: string, depth: number): Promise<void> {
    const entries = await readdir(folder, { withFileTypes: true });
    if (folder !== root && entries.some((entry) => entry.name === 'SKILL.md' && entry.isFile())) {
      found.push(await load(root ?? folder, folder));
      return;
    }
    if (depth >= MAX_DEPTH) return;
    for (const entry of entries.filter((each) => each.isDirectory() && !each.name.startsWith('.') && each.name !== 'node_modules')) {
      if (found.length < MAX_SKILLS) await walk(join(folder, entry.name), depth + 1);
    }
  }
  await walk(root, 0);
  return found.sort((a, b) => compare(a.category ?? '', b.category ?? '') || compare(a.name, b.name));
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Skills as they were read, by the path of SKILL.md, with the marks of the file they were read from. */
const read = new Map<string, { readonly mark: string; readonly skill: Skill }>();

async function load(root: string, folder: string): Promise<Skill> {
  const path = join(folder, 'SKILL.md');
  const { size, mtimeNs, ino } = await stat(path, { bigint: true });
  const mark = `${root} ${String(ino)} ${String(size)} ${String(mtimeNs)}`;
  const kept = read.get(path);
  if (kept?.mark === mark) return kept.skill;
  const skill = await readSkill(root, folder, Number(size));
  if (read.size >= MAX_SKILLS) read.clear();
  read.set(path, { mark, skill });
  return skill;
}

async function readSkill(root: string, folder: string, size: number): Promise<Skill> {
  const parts = relative(root, folder).split(sep);
  const place = { name: basename(folder), category: parts.length > 1 ? parts.slice(0, -1).join('/') : null, folder };
  if (size > MAX_FILE_BYTES) return { ...place, description: '', frontmatter: {}, problem: 'SKILL.md is larger than 1 MiB.' };
  const parsed = await parseSkill(await readFile(join(folder, 'SKILL.md'), 'utf8'));
  if ('error' in parsed) return { ...place, description: '', frontmatter: {}, problem: parsed.error };
  const { description } = parsed.frontmatter;
  return { ...place, frontmatter: parsed.frontmatter, description: typeof description === 'string' ? description.trim().slice(0, MAX_DESCRIPTION_CHARS) : '' };
}

/** What chats on this computer are called among the platforms of Hermes. */
export const OWN_PLATFORM = 'cli';

/** Whether a list of config.yaml names the skill, in any of the ways a person may write it. */
export function isNamed(skill: Skill, list: unknown): boolean {
  return texts(list).some((name) => name === skill.name || name === pathOf(skill) || name === skill.frontmatter['name']);
}

/** Whether the person switched it off: for all chats (`skills.disabled` of config.yaml), or for those of one platform (`skills.platform_disabled.<platform>`). */
export function isDisabled(skill: Skill, config: Pick<ConfigReader, 'get'>, platform: string = OWN_PLATFORM): boolean {
  return isNamed(skill, config.get('skills.disabled')) || isNamed(skill, config.get(`skills.platform_disabled.${platform}`));
}

export function isOffered(skill: Skill, config: Pick<ConfigReader, 'get'>, platform?: string): boolean {
  return !isDisabled(skill, config, platform) && suitsPlatform(skill.frontmatter);
}

/** `category/name`, or the name alone. */
export const pathOf = ({ category, name }: Skill): string => (category === null ? name : `${category}/${name}`);

export type Found = { readonly skill: Skill } | { readonly error: string; readonly extra?: Readonly<Record<string, unknown>> };

/** The one skill that a name means: by folder name, by category/name, by the name in its frontmatter, in this order. */
export function findSkill(skills: readonly Skill[], given: string): Found {
  const name = given.trim().replace(/^\/+|\/+$/g, '');
  const ways = [(skill: Skill) => pathOf(skill) === name, (skill: Skill) => skill.name === name, (skill: Skill) => skill.frontmatter['name'] === name];
  // A skill without category has its bare name as its path; another of that name in a category is still a second candidate.
  const exact = name.includes('/') ? skills.filter(ways[0] ?? (() => false)) : skills.filter((skill) => skill.name === name);
  const matches = exact.length > 0 ? exact : skills.filter((skill) => ways.some((way) => way(skill)));
  const [first, second] = matches;
  if (first === undefined) return { error: `There is no skill '${given}'. Call skills_list for the names.`, extra: { available_skills: skills.slice(0, 20).map(pathOf) } };
  if (second !== undefined) return { error: `'${given}' means several skills. Name one as category/name.`, extra: { candidates: matches.map(pathOf) } };
  return { skill: first };
}

export interface LinkedFiles { readonly references: readonly string[]; readonly templates: readonly string[]; readonly scripts: readonly string[]; readonly assets: readonly string[] }
const MAX_LINKED = 500;

/** Files of the four folders, relative to the skill, sorted. Links are left out. */
export async function linkedFiles({ folder }: Skill): Promise<LinkedFiles> {
  const list = async (name: string): Promise<string[]> => {
    try {
      const entries = await readdir(join(folder, name), { withFileTypes: true, recursive: true });
      return entries.filter((entry) => entry.isFile()).map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/')).sort().slice(0, MAX_LINKED);
    } catch (error) {
      if (isAbsent(error)) return [];
      throw error;
    }
  };
  const [references = [], templates = [], scripts = [], assets = []] = await Promise.all(SUPPORT_FOLDERS.map(list));
  return { references, templates, scripts, assets };
}

export function isAbsent(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}
