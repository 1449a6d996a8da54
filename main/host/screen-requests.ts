/** What single screens ask for, put together: the form that tries a tool, pictures and sound in the chat, the agent's page. */
import type { Browsers } from '../browser/browser.ts';
import { browserRequests } from './browser-requests.ts';
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
  readonly browser: Pick<Browsers, 'look' | 'hold' | 'input'>;
}

export function screenRequests({ callTool, sessions, closing, cache, browser }: ScreenRequestParts): AreaHandlers<'browser'> & AreaHandlers<'tools'> & AreaHandlers<'media'> {
  return { ...tryRequests(callTool, sessions, closing), ...mediaRequests(cache), ...browserRequests(browser, sessions) };
}
