/** text_to_speech: text read aloud, by a service or by espeak-ng of this computer. */
import { type CheckFunction, registry } from './registry.ts';
import { hasEndpoint } from './shared/media.ts';

const isSetUp: CheckFunction = (check) => {
  if (check.which('espeak-ng') !== undefined && check.config('tts.provider') !== 'openai') return true;
  const service = hasEndpoint(check, 'speech', 'speech');
  if (service === true) return true;
  return { ...service, step: 'missing-program', fix: `Install espeak-ng (searched in ${check.path}) for a plain voice without any key; or: ${service.fix}` };
};

registry.register({
  name: 'text_to_speech',
  toolset: 'tts',
  emoji: '🔊',
  checkFn: isSetUp,
  handler: async (args, context) => (await import('./text-to-speech/speak.ts')).textToSpeech(args, context),
  schema: {
    description: 'Read text aloud into a sound file. The person can play it in the chat; elsewhere, put the media_tag of the result on a line of its own.',
    parameters: {
      type: 'object',
      properties: {
        text: { type: 'string', description: 'What is said. Plain sentences, no markdown.' },
        output_path: { type: 'string', description: 'Where to keep the file too, in the directory of the terminal.' },
        speed: { type: 'number', minimum: 0.25, maximum: 4, description: 'How fast; 1 is usual.', default: 1 },
        instructions: { type: 'string', description: 'How it is said (tone, accent), where the voice can.' },
      },
      required: ['text'],
    },
  },
});
