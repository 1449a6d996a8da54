/** Skills: folders of instructions that are read when they are needed. */
import { registry } from './registry.ts';
import { forgetViews } from './skills/views.ts';

registry.register({
  name: 'skills_list',
  toolset: 'skills',
  emoji: '📚',
  isAsync: true,
  handler: async (args, context) => (await import('./skills/list.ts')).listSkills(args, context),
  schema: {
    description: 'List the skills of this home by name and description. Read one with skill_view before work that it covers.',
    parameters: {
      type: 'object',
      properties: { category: { type: 'string', description: 'Only skills of this category.' } },
      required: [],
    },
  },
});

registry.register({
  name: 'skill_view',
  toolset: 'skills',
  emoji: '📖',
  isAsync: true,
  maxResultSizeChars: 200_000,
  handler: async (args, context) => (await import('./skills/view.ts')).viewSkill(args, context),
  schema: {
    description: "Read a skill: its instructions (SKILL.md) and the names of its other files. With file_path, read one of those files.",
    parameters: {
      type: 'object',
      properties: {
        name: { type: 'string', description: 'Name of the skill, or category/name.' },
        file_path: { type: 'string', description: 'File inside the skill, for example references/api.md.' },
      },
      required: ['name'],
    },
  },
});

registry.register({
  name: 'skill_manage',
  toolset: 'skills',
  emoji: '🛠️',
  isAsync: true,
  maxResultSizeChars: 100_000,
  handler: async (args, context) => (await import('./skills/manage.ts')).manageSkill(args, context),
  schema: {
    description: 'Keep skills: create one from work that is worth repeating, patch or edit it when it was wrong, write or remove its other files, delete it. '
      + 'content is the whole SKILL.md: YAML frontmatter with name and description between --- lines, then the instructions.',
    parameters: {
      type: 'object',
      properties: {
        action: { type: 'string', enum: ['create', 'patch', 'edit', 'delete', 'write_file', 'remove_file'], description: 'What to do.' },
        name: { type: 'string', description: 'Name of the skill: small letters, digits, dots, hyphens and underscores, at most 64.' },
        content: { type: 'string', description: 'The whole SKILL.md (create, edit).' },
        old_string: { type: 'string', description: 'Text to replace, quoted from the file (patch).' },
        new_string: { type: 'string', description: 'Text to put in its place; empty deletes (patch).' },
        replace_all: { type: 'boolean', description: 'Replace every occurrence (patch).', default: false },
        category: { type: 'string', description: 'Folder to create the skill in (create).' },
        file_path: { type: 'string', description: 'File inside references/, templates/, scripts/ or assets/ (write_file, remove_file; optional for patch).' },
        file_content: { type: 'string', description: 'The whole text of that file (write_file).' },
        absorbed_into: { type: 'string', description: 'The skill that took over what this one held, or empty when nothing did (delete).' },
      },
      required: ['action', 'name'],
    },
  },
});

registry.onContextTrimmed(forgetViews);
