/** image_generate: pictures from words, and changed pictures from pictures and words. */
import type { JsonObject } from './context.ts';
import { type CheckFunction, registry, type SchemaPlace } from './registry.ts';
import { hasEndpoint } from './shared/media.ts';

const isSetUp: CheckFunction = (check) => hasEndpoint(check, 'image_gen', 'pictures');

const WISH = {
  prompt: { type: 'string', description: 'What the picture shows: subject, setting, style, light. In detail.' },
  aspect_ratio: { type: 'string', enum: ['landscape', 'square', 'portrait'], description: 'Form of the picture.', default: 'landscape' },
} satisfies JsonObject;
const SOURCES = {
  image_url: { type: 'string', description: 'A picture to change: http(s) address or path of a file.' },
  reference_image_urls: { type: 'array', items: { type: 'string' }, maxItems: 8, description: 'Further pictures to go by.' },
} satisfies JsonObject;

/** A model that only makes pictures is not offered any to change. */
function overrides({ config }: SchemaPlace): { description?: string; parameters?: JsonObject } {
  const model = config('auxiliary.image_gen.model');
  if (typeof model !== 'string' || !model.startsWith('dall-e-3')) return {};
  return {
    description: `Make a picture from a description. ${KEPT}`, parameters: { type: 'object', properties: WISH, required: ['prompt'] },
  };
}
const KEPT = 'The file is kept and shown to the person; show it elsewhere by putting the media_tag of the result on a line of its own.';

registry.register({
  name: 'image_generate',
  toolset: 'image_gen',
  emoji: '🎨',
  checkFn: isSetUp,
  requiresEnv: ['OPENAI_API_KEY'],
  handler: async (args, context) => (await import('./image-generate/generate.ts')).imageGenerate(args, context),
  schema: {
    description: `Make a picture from a description, or change given pictures by one. ${KEPT}`,
    parameters: { type: 'object', properties: { ...WISH, ...SOURCES }, required: ['prompt'] },
  },
  dynamicSchemaOverrides: overrides,
});
