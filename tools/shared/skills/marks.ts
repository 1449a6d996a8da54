/** What the files beside the skills say of them: pinned ones (`.usage.json`), those that came with Hermes (`.bundled_manifest`), those from a hub (`.hub/lock.json`). */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Skill, isAbsent } from './store.ts';

export interface Marks {
  /** `own`: made here. `hub:<name>`: fetched from there. */
  source(skill: Skill): string;
  /** Undefined when the file that says so is damaged. */
  isPinned(skill: Skill): boolean | undefined;
}

const BUNDLED = 'bundled';
const OWN = 'own';

/** `root` is the skills folder. A damaged file counts as none, but for pins: there nobody knows. */
export async function readMarks(root: string): Promise<Marks> {
  const [usage, manifest, lock] = await Promise.all(['.usage.json', '.bundled_manifest', join('.hub', 'lock.json')].map((name) => textOf(join(root, name))));
  const pins = usage === undefined ? {} : objectOf(usage);
  const installed = fieldOf(lock === undefined ? undefined : objectOf(lock), 'installed');
  // Lines are `name:hash`, in older releases the name alone.
  const bundled = new Set((manifest ?? '').split('\n').map((line) => line.split(':')[0]?.trim() ?? '').filter((name) => name !== ''));
  return {
    source({ name }) {
      const entry = fieldOf(installed, name);
      if (entry === undefined) return bundled.has(name) ? BUNDLED : OWN;
      const from = fieldOf(entry, 'source');
      return `hub:${typeof from === 'string' ? from : ''}`;
    },
    isPinned: ({ name, frontmatter }) => (pins === undefined ? undefined : fieldOf(fieldOf(pins, name), 'pinned') === true || (fieldOf(fieldOf(frontmatter['metadata'], 'hermes'), 'pinned') ?? frontmatter['pinned']) === true),
  };
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

/** Undefined for damaged text. */
function objectOf(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? (value as Readonly<Record<string, unknown>>)[name] : undefined; // cast: an object, read field by field
}
