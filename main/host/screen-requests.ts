/** What single screens ask for, put together: the form that tries a tool, pictures and sound in the chat, the agent's page, the memory files, the skills. */
import type { Browsers } from '../browser/browser.ts';
import type { Attachments } from '../composer/attachments.ts';
import { browserRequests } from './browser-requests.ts';
import type { DirectCall } from './direct-calls.ts';
import type { AreaHandlers } from './handlers.ts';
import { mediaRequests } from './media-requests.ts';
import { memoryRequests } from './memory-requests.ts';
import type { ConfigStore, Shell } from '../ports.ts';
import type { Sessions } from './sessions.ts';
import { skillRequests } from './skill-requests.ts';
import { tryRequests } from './try-requests.ts';

export interface ScreenRequestParts {
  readonly callTool: DirectCall;
  readonly sessions: Pick<Sessions, 'existing'>;
  readonly closing: AbortSignal;
  /** `<home>/cache`. */
  readonly cache: string;
  /** Files that went with messages. */
  readonly files: Pick<Attachments, 'find' | 'pathOf'>;
  readonly home: string;
  readonly config: Pick<ConfigStore, 'get' | 'env' | 'update'>;
  readonly shell: Pick<Shell, 'openFolder'>;
  readonly browser: Pick<Browsers, 'look' | 'hold' | 'input'>;
}

export function screenRequests({ callTool, sessions, closing, cache, files, home, config, shell, browser }: ScreenRequestParts): AreaHandlers<'browser'> & AreaHandlers<'memory'> & AreaHandlers<'skills'> & AreaHandlers<'tools'> & AreaHandlers<'media'> {
  return { ...tryRequests(callTool, sessions, closing), ...mediaRequests(cache, sessions, files), ...browserRequests(browser, sessions), ...memoryRequests(home, config), ...skillRequests({ home, config, shell }) };
}
