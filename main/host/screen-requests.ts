/** What single screens ask for, put together: the form that tries a tool, pictures and sound in the chat. */
import type { DirectCall } from './direct-calls.ts';
import type { AreaHandlers } from './handlers.ts';
import { mediaRequests } from './media-requests.ts';
import type { Sessions } from './sessions.ts';
import { tryRequests } from './try-requests.ts';

export interface ScreenRequestParts {
  readonly callTool: DirectCall;
  readonly sessions: Pick<Sessions, 'existing'>;
  readonly closing: AbortSignal;
  /** `<home>/cache`. */
  readonly cache: string;
}

export function screenRequests({ callTool, sessions, closing, cache }: ScreenRequestParts): AreaHandlers<'tools'> & AreaHandlers<'media'> {
  return { ...tryRequests(callTool, sessions, closing), ...mediaRequests(cache) };
}
