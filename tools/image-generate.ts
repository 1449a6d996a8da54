/** image_generate: pictures from words, and changed pictures from pictures and words. */
import { type CheckFunction, registry } from './registry.ts';
import { hasEndpoint } from './shared/media.ts';

const isSetUp: CheckFunction = (check) => hasEndpoint(check, 'image_gen', 'pictures');

registry.register({
  name: 'image_generate',
  toolset: 'image_gen',
  emoji: '🎨',
  checkFn: isSetUp,
  requiresEnv: ['OPENAI_API_KEY'],
  handler: async (args, context) => (await import('./image-generate/generate.ts')).imageGenerate(args, context),
  schema: {
    description: 'Make a picture from a description, or change given pictures by one. The file is kept and shown to the person; show it elsewhere by putting the media_tag of the result on a line of its own.',
    parameters: {
      type: 'object',
      properties: {
        prompt: { type: 'string', description: 'What the picture shows: subject, setting, style, light. In detail.' },
        aspect_ratio: { type: 'string', enum: ['landscape', 'square', 'portrait'], description: 'Form of the picture.', default: 'landscape' },
        image_url: { type: 'string', description: 'A picture to change: http(s) address or path of a file.' },
        reference_image_urls: { type: 'array', items: { type: 'string' }, maxItems: 8, description: 'Further pictures to go by.' },
      },
      required: ['prompt'],
    },
  },
});
