/** SKILL.md: YAML frontmatter between --- lines, then the instructions (agentskills format with Hermes' additions). */

/** Limits of hermes-runtime 7.5. */
export const MAX_NAME_CHARS = 64;
export const MAX_DESCRIPTION_CHARS = 1_024;
export const MAX_CONTENT_CHARS = 100_000;
export const MAX_FILE_BYTES = 1024 * 1024;
export const SUPPORT_FOLDERS = ['references', 'templates', 'scripts', 'assets'] as const;
const NAME = /^[a-z0-9][a-z0-9._-]*$/;

export type Frontmatter = Readonly<Record<string, unknown>>;
export interface Environment { readonly name: string; readonly prompt?: string; readonly help?: string }

/** What is wrong with a name or category, in words; undefined = nothing. */
export function nameProblem(name: string, what: 'name' | 'category' = 'name'): string | undefined {
  if (name === '') return `The ${what} is empty.`;
  if (name.length > MAX_NAME_CHARS) return `The ${what} has more than ${String(MAX_NAME_CHARS)} characters.`;
  if (NAME.test(name)) return undefined;
  return `The ${what} '${name}' is not allowed: it starts with a small letter or digit and holds only small letters, digits, dots, hyphens and underscores.`;
}

/** The fields and the text below them, or why they cannot be read. */
export async function parseSkill(text: string): Promise<{ readonly frontmatter: Frontmatter; readonly body: string } | { readonly error: string }> {
  const found = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(text);
  if (found === null) return { error: 'SKILL.md starts with a line ---, then YAML with name and description, then a line --- and the instructions.' };
  const { parse } = await import('yaml');
  try {
    const value: unknown = parse(found[1] ?? '', { maxAliasCount: 20 });
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return { error: 'The frontmatter of SKILL.md is no list of fields. Write lines such as name: my-skill.' };
    return { frontmatter: value as Frontmatter, body: text.slice(found[0].length) }; // cast: an object, read field by field
  } catch (error) {
    return { error: `The frontmatter of SKILL.md is no valid YAML: ${error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)}. Put values with a colon in quotes.` };
  }
}

/** What keeps a text from being a SKILL.md, in words; undefined = nothing. */
export async function contentProblem(text: string): Promise<string | undefined> {
  if (text.length > MAX_CONTENT_CHARS) return `SKILL.md has ${text.length.toLocaleString('en-US')} characters, more than ${MAX_CONTENT_CHARS.toLocaleString('en-US')}. Move details into files under references/.`;
  const skill = await parseSkill(text);
  if ('error' in skill) return skill.error;
  const { name, description } = skill.frontmatter;
  if (typeof name !== 'string' || name.trim() === '') return 'The frontmatter lacks a name.';
  if (typeof description !== 'string' || description.trim() === '') return 'The frontmatter lacks a description: one or two sentences on when to use the skill.';
  if (description.length > MAX_DESCRIPTION_CHARS) return `The description has more than ${MAX_DESCRIPTION_CHARS.toLocaleString('en-US')} characters.`;
  return skill.body.trim() === '' ? 'There are no instructions below the frontmatter.' : undefined;
}

/** A list of texts, given as one or as text with commas. */
export function texts(value: unknown): string[] {
  if (typeof value === 'string') return value.replace(/^\[|\]$/g, '').split(',').map((part) => part.trim()).filter((part) => part !== '');
  return Array.isArray(value) ? value.filter((part): part is string => typeof part === 'string') : [];
}

/** A field under `metadata.hermes`, else at the top. */
export function hermesField(frontmatter: Frontmatter, name: string): unknown {
  return fieldOf(fieldOf(frontmatter['metadata'], 'hermes'), name) ?? frontmatter[name];
}

/** Variables from `required_environment_variables`, and from the older `prerequisites.env_vars`. */
export function requiredEnvironment(frontmatter: Frontmatter): Environment[] {
  const listed = frontmatter['required_environment_variables'];
  const entries: unknown[] = Array.isArray(listed) ? listed : texts(listed);
  const all = [...entries, ...texts(fieldOf(frontmatter['prerequisites'], 'env_vars'))].flatMap((entry): Environment[] => {
    const name = typeof entry === 'string' ? entry : fieldOf(entry, 'name');
    if (typeof name !== 'string' || !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return [];
    const [prompt, help] = [fieldOf(entry, 'prompt'), fieldOf(entry, 'help')];
    return [{ name, ...(typeof prompt === 'string' && { prompt }), ...(typeof help === 'string' && { help }) }];
  });
  return [...new Map(all.map((entry) => [entry.name, entry])).values()];
}

const PLATFORMS: Readonly<Record<string, NodeJS.Platform>> = { macos: 'darwin', darwin: 'darwin', linux: 'linux', windows: 'win32', win32: 'win32' };
/** Whether a skill is meant for this system; one that names none is for all. */
export function suitsPlatform(frontmatter: Frontmatter, platform: NodeJS.Platform = process.platform): boolean {
  const named = texts(frontmatter['platforms']);
  return named.length === 0 || named.some((name) => PLATFORMS[name.toLowerCase()] === platform);
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined; // cast: an object, read field by field
}
