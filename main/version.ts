/** The version of the app, from the one place where it is written. */
import manifest from '../package.json' with { type: 'json' };

export const VERSION: string = manifest.version;
