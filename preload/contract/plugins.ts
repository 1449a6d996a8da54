/** Plugins as screens and the command line see them. */
import { z } from 'zod';

export const PluginInfo = z.object({
  id: z.string(),
  folder: z.string(),
  /** The home's own folder, the project's, or an installed package. */
  origin: z.enum(['user', 'project', 'package']),
  version: z.string(),
  description: z.string(),
  /** `off`: nothing of it has run. */
  state: z.enum(['off', 'loading', 'loaded', 'failed']),
  error: z.string().nullable(),
  tools: z.array(z.string()),
  hooks: z.array(z.string()),
  /** Names of its `/commands`. */
  commands: z.array(z.string()),
  /** Tools of its that others have already and keep. */
  rejected: z.array(z.string()),
});
export type PluginInfo = z.infer<typeof PluginInfo>;
