/** send_message: a message to a person through a messenger (hermes-runtime 7.7). */
import { type CheckFunction, registry } from './registry.ts';
import { MESSENGERS, messengerSettings } from './shared/messengers.ts';

const isSetUp: CheckFunction = ({ config, env }) => MESSENGERS.some((name) => messengerSettings(name, { get: config, env }).missing === undefined) || {
  step: 'missing-variable', message: 'No messenger is set up.',
  fix: 'Put the token of one into the .env of the home, such as TELEGRAM_BOT_TOKEN=…, and see Settings › Messengers.',
};

registry.register({
  name: 'send_message',
  toolset: 'messaging',
  emoji: '📨',
  checksOwnArguments: true,
  checkFn: isSetUp,
  maxResultSizeChars: 20_000,
  handler: async (args, context) => (await import('./send-message/handler.ts')).sendMessage(args, context),
  schema: {
    description: [
      'Send a message to a person or channel on a messenger, or list where messages can go. Use list first when a chat is named in words.',
      'A line MEDIA:<absolute path> sends that file; [[as_document]] anywhere in the message sends pictures as plain files.',
    ].join('\n'),
    parameters: {
      type: 'object',
      properties: {
        action: { type: 'string', enum: ['send', 'list'], description: 'send (default) or list.' },
        target: { type: 'string', description: "Where: 'telegram' (its home channel), 'telegram:<chat id or title>', 'discord:<channel>:<thread>', 'email:somebody@example.org'." },
        message: { type: 'string', description: 'The text.' },
      },
    },
  },
});
