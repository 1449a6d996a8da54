/** `skills_list`: names and descriptions only. */
import type { ToolContext } from '../context.ts';
import { toolResult } from '../result.ts';
import { allSkills, isOffered } from '../shared/skills/store.ts';

export async function listSkills(args: Record<string, unknown>, { services, platform }: ToolContext): Promise<string> {
  const wanted = typeof args['category'] === 'string' && args['category'].trim() !== '' ? args['category'].trim() : undefined;
  const offered = (await allSkills(services.paths.home)).filter((skill) => isOffered(skill, services.config, platform));
  const categories = [...new Set(offered.flatMap(({ category }) => category ?? []))];
  const skills = offered.filter(({ category }) => wanted === undefined || category === wanted);
  const hint = offered.length === 0 ? 'There are no skills yet. skill_manage creates one.'
    : skills.length === 0 ? `No skill is in category '${wanted ?? ''}'. Leave category out to see all.` : 'Read one with skill_view before work that it covers.';
  return toolResult({
    success: true, skills: skills.map(({ name, description, category, problem }) => ({ name, description, category, ...(problem !== undefined && { problem }) })), categories, count: skills.length, hint,
  });
}
