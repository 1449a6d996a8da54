/** A sample plugin: one tool, one hook, one setting, one command. */
const count = (text) => text.split(/\s+/).filter((word) => word !== '').length;

export function register(ctx) {
  ctx.registerTool({
    name: 'word_count',
    toolset: 'word-count',
    emoji: '🔢',
    schema: {
      description: 'Count the words of a text.',
      parameters: { type: 'object', properties: { text: { type: 'string', description: 'The text.' } }, required: ['text'] },
    },
    handler: ({ text }) => ctx.helpers.toolResult({ words: count(text) }),
  });

  ctx.registerHook('pre_tool_call', ({ tool_name: tool, args }) => {
    const forbidden = ctx.settings.get('forbidden_word');
    if (tool !== 'terminal' || typeof forbidden !== 'string' || !String(args.command).includes(forbidden)) return null;
    return { action: 'block', message: `Blocked by the word-count plugin: the command contains '${forbidden}'.` };
  });

  ctx.registerCommand('words', (text) => `${count(text)} words`, { description: 'Count the words behind it.' });
}
