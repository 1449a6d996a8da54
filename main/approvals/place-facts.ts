import type { ReviewPlace } from './detect.ts';

/** Where a command would run, as the detector needs it and as the card shows it. */
export interface PlaceFacts extends ReviewPlace { readonly host: string; readonly user: string; readonly sandbox?: string }
