/** `skill_manage`: creates, changes and removes skills. */
import type { ToolContext } from '../context.ts';
import { toolError, toolResult } from '../result.ts';
import { ACTIONS, type Outcome, type SkillChange, changeSkills } from '../shared/skills/manage.ts';
import { forgetViews } from './views.ts';

export async function manageSkill(args: Record<string, unknown>, context: ToolContext): Promise<string> {
  const action = ACTIONS.find((name) => name === args['action']);
  if (action === undefined) return finish({ error: `Unknown action. Use one of ${ACTIONS.join(', ')}.` });
  const text = (name: string): string | undefined => (typeof args[name] === 'string' ? args[name] : undefined);
  const name = text('name')?.trim() ?? '';
  if (name === '') return finish({ error: "skill_manage needs 'name': the name of the skill." });
  const filled = (field: string): string | undefined => (text(field)?.trim() === '' ? undefined : text(field)?.trim());
  const given: SkillChange = {
    action, name, content: text('content'), oldString: text('old_string'), newString: text('new_string'), replaceAll: args['replace_all'] === true,
    category: filled('category'), filePath: filled('file_path'), fileContent: text('file_content'), absorbedInto: text('absorbed_into'),
  };
  const refused = await askPerson(given, context);
  if (refused !== undefined) return finish({ error: refused });
  const outcome = await changeSkills(context.services.paths.home, given);
  if (!('error' in outcome)) forgetViews(context.sessionId);
  return finish(outcome);
}

function finish(outcome: Outcome): string {
  if (!('error' in outcome)) return toolResult({ success: true, ...outcome });
  const { error, ...extra } = outcome;
  return toolError(String(error), { success: false, ...extra });
}

/** `skills.write_approval` of config.yaml: a person agrees to each change. Undefined = go on. */
async function askPerson(given: SkillChange, { services, cwd, sessionId, taskId, toolCallId, signal, emit }: ToolContext): Promise<string | undefined> {
  if (services.config.get('skills.write_approval') !== true) return undefined;
  const words = [given.action, given.name, given.filePath, given.content ?? given.fileContent ?? given.newString].filter((part) => part !== undefined).join(' ');
  const outcome = await services.approvals.review({
    tool: 'skill_manage', command: words, cwd, sessionId, taskId, toolCallId, signal,
    requirePerson: { description: 'Change a skill', ruleKey: 'skill_write' },
    onWaiting: (approvalId, waiting) => emit({ kind: 'approval', approvalId, state: waiting ? 'waiting' : 'settled' }),
  });
  return outcome.approved ? undefined : outcome.message ?? 'The person did not agree to this change of a skill.';
}
