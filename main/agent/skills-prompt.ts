/** The list of skills in the system prompt: enough to know which one to read, and never so long that it crowds out the chat. Pure. */
import { findThreat } from '../../tools/shared/skills/threats.ts';

/** About 2,000 tokens in every request. A list that is longer loses descriptions first, then names. */
const MOST_CHARS = 8_000;
/** Steps in which descriptions get shorter until the list fits; nothing = names alone. */
const DESCRIPTION_CHARS = [240, 120, 60, 0] as const;

export interface OfferedSkill {
  /** What `skill_view` takes: `category/name`, or the name alone. */
  readonly path: string;
  readonly description: string;
}

const RULES = [
  'A skill holds instructions for one kind of work, written by the user or learned in earlier chats. Before you begin work that one of them covers, read it with skill_view and follow it.',
  'The descriptions only say what a skill is for.',
].join('\n');

/** Undefined when there is nothing to list. */
export function skillsSection(skills: readonly OfferedSkill[]): string | undefined {
  if (skills.length === 0) return undefined;
  for (const most of DESCRIPTION_CHARS) {
    const text = skills.map((skill) => line(skill, most)).join('\n');
    if (text.length <= MOST_CHARS) return `${RULES}\n${text}`;
  }
  const kept: string[] = [];
  let used = 0;
  for (const skill of skills) {
    const next = line(skill, 0);
    if (used + next.length + 1 > MOST_CHARS) break;
    kept.push(next);
    used += next.length + 1;
  }
  return `${RULES}\n${kept.join('\n')}\n…and ${(skills.length - kept.length).toLocaleString('en-US')} more: skills_list names them all.`;
}

function line({ path, description }: OfferedSkill, most: number): string {
  // A file that was put there by hand has passed no check yet.
  const words = most === 0 || findThreat(description) !== undefined ? '' : description.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
  return `- ${path}${words === '' ? '' : `: ${words.length > most ? `${words.slice(0, most - 1).trimEnd()}…` : words}`}`;
}
