/** `plugin.yaml` of a plugin's folder (hermes-runtime 7.14). */
import { parse } from 'yaml';
import { z } from 'zod';

/** Names of plugins are keys in config.yaml and parts of toolset names. */
export const PLUGIN_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

const Manifest = z.object({
  name: z.string().optional(),
  version: z.union([z.string(), z.number()]).transform(String).default('0'),
  description: z.string().default(''),
  requires_env: z.array(z.string()).default([]),
  provides_tools: z.array(z.string()).default([]),
  provides_hooks: z.array(z.string()).default([]),
  /** Module with `register(ctx)`; `index.ts`, `index.js` or `index.mjs` by default. */
  main: z.string().regex(/^(?!.*\.\.)[\w./-]+\.(?:ts|js|mjs)$/, 'must be a .ts, .js or .mjs file inside the plugin\'s folder').optional(),
});
export type Manifest = z.infer<typeof Manifest>;

/** The library draws the place below its first line. */
function parsed(text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    throw new Error(`plugin.yaml: ${(error instanceof Error ? error.message : String(error)).split('\n', 1)[0]?.replace(/:$/, '') ?? ''}`, { cause: error });
  }
}

/** Throws Error with the place and the cause, on one line. */
export function parseManifest(text: string): Manifest {
  const raw = parsed(text);
  const read = Manifest.safeParse(raw ?? {});
  if (read.success) return read.data;
  throw new Error(`plugin.yaml: ${read.error.issues.map((issue) => `${issue.path.join('.') || 'the file'}: ${issue.message}`).join('; ')}`);
}
