/** The chat's task list. */
import type { ToolContext } from './context.ts';
import { registry } from './registry.ts';
import { toolError, toolResult } from './result.ts';
import { applyTodos, type GivenTodo, MAX_TODOS, STATUSES, summarise } from './todo/list.ts';

registry.register({
  name: 'todo',
  toolset: 'todo',
  emoji: '📋',
  // Missing ids and unknown states are mended rather than refused: a plan is worth more than its form.
  checksOwnArguments: true,
  handler: todo,
  schema: {
    description: 'Keep a task list for this chat. Use it for work of three or more steps, or when the person gives several tasks. '
      + 'Call it without arguments to read the list. With todos it writes: merge=false (default) makes them the whole list, merge=true updates the given fields of known ids and adds new ones. '
      + 'The order is the priority. Keep exactly one item in_progress; mark it completed at once when it is done, and cancelled with a new item when it failed. '
      + 'Always answers with the full list.',
    parameters: {
      type: 'object',
      properties: {
        todos: {
          type: 'array',
          description: 'Items to write. Leave out to read.',
          items: {
            type: 'object',
            properties: {
              id: { type: 'string', description: 'Name of the item, unique in the list.' },
              content: { type: 'string', description: 'What is to be done.' },
              status: { type: 'string', enum: [...STATUSES], description: 'Where it stands.' },
              parent: { type: 'string', description: 'Id of the item this one is a part of.' },
            },
            required: ['id', 'content', 'status'],
          },
        },
        merge: { type: 'boolean', description: 'Update by id instead of replacing the list.', default: false },
      },
      required: [],
    },
  },
});

const isItem = (value: unknown): value is GivenTodo => typeof value === 'object' && value !== null && !Array.isArray(value);

function todo(args: Record<string, unknown>, { services, sessionId, emit }: ToolContext): string {
  const given = args['todos'];
  if (given === undefined || given === null) return answer(services.todos.read(sessionId));
  if (!Array.isArray(given)) return toolError(`todos must be a list of items, got ${typeof given}. The list is unchanged.`);
  const wrong = given.findIndex((item) => !isItem(item));
  if (wrong >= 0) return toolError(`todos[${String(wrong)}] must be an object with id, content and status. The list is unchanged.`);
  const { todos, dropped } = applyTodos(services.todos.read(sessionId), given.filter(isItem), args['merge'] === true);
  services.todos.write(sessionId, todos);
  emit({ kind: 'todos', todos });
  return answer(todos, dropped);
}

function answer(todos: ReturnType<ToolContext['services']['todos']['read']>, dropped = 0): string {
  const note = dropped === 0 ? {} : { note: `The list holds ${String(MAX_TODOS)} items; the last ${String(dropped)} were not kept.` };
  return toolResult({ todos, summary: summarise(todos), ...note });
}
