/** Skills as the page shows them. Pure. */
import type { SkillInfo, SkillList } from '../../../preload/contract/index.ts';

export interface SkillGroup {
  /** Null for skills without a category. */
  readonly category: string | null;
  readonly skills: readonly SkillInfo[];
}

/** Those whose name, category or description holds every word of `query`, by category. */
export function groupSkills(skills: readonly SkillInfo[], query: string): readonly SkillGroup[] {
  const words = query.toLowerCase().split(/\s+/).filter((word) => word !== '');
  const groups = new Map<string | null, SkillInfo[]>();
  for (const skill of skills) {
    const text = `${skill.path} ${skill.description}`.toLowerCase();
    if (!words.every((word) => text.includes(word))) continue;
    const group = groups.get(skill.category);
    if (group === undefined) groups.set(skill.category, [skill]);
    else group.push(skill);
  }
  return [...groups].map(([category, members]) => ({ category, skills: members }));
}

/** The list as it will be once the switch is written: a switch moves at once. */
export function withSwitched(list: SkillList, path: string, enabled: boolean, platform: string | undefined): SkillList {
  const switched = (skill: SkillInfo): SkillInfo => {
    if (platform === undefined) return { ...skill, enabled };
    const others = skill.offIn.filter((name) => name !== platform);
    return { ...skill, offIn: enabled ? others : [...others, platform] };
  };
  return { ...list, skills: list.skills.map((skill) => (skill.path === path ? switched(skill) : skill)) };
}

/** Where a skill comes from, in words; undefined for the person's own. */
export function sourceWords(source: string): string | undefined {
  if (source === 'own') return undefined;
  if (source === 'bundled') return 'came with Hermes';
  const hub = source.replace(/^hub:/, '');
  return hub === '' ? 'from a hub' : `from ${hub}`;
}

const PLATFORM_WORDS: ReadonlyMap<string, string> = new Map([
  ['cli', 'Chats on this computer'], ['telegram', 'Telegram'], ['discord', 'Discord'], ['slack', 'Slack'], ['email', 'Email'], ['webhook', 'Webhook'],
]);

export function platformWords(platform: string): string {
  return PLATFORM_WORDS.get(platform) ?? platform;
}

/** SKILL.md without its fields: what a person came to read. A text without fields stays whole. */
export function withoutFields(text: string): string {
  return text.replace(/^\uFEFF?---[ \t]*\r?\n[\s\S]*?\r?\n---[ \t]*(?:\r?\n|$)/, '').trimStart();
}

/** What a new SKILL.md begins with. */
export function template(name: string): string {
  return `---\nname: ${name === '' ? 'my-skill' : name}\ndescription: When to use it, in a sentence or two.\n---\n\n# Steps\n\n1. \n`;
}

/** Highlighter's word for a file. */
export function languageOf(file: string): string {
  return /\.([a-z0-9]+)$/i.exec(file)?.[1]?.toLowerCase() ?? '';
}

export function isMarkdown(file: string): boolean {
  return /\.(?:md|markdown)$/i.test(file);
}
