/** `browser.*`: looking at the agent's page, and driving it. */
import { AppError } from '../../preload/contract/errors.ts';
import type { Browsers } from '../browser/browser.ts';
import type { AreaHandlers } from './handlers.ts';
import type { Sessions } from './sessions.ts';

export function browserRequests(browser: Pick<Browsers, 'look' | 'hold' | 'input'>, sessions: Pick<Sessions, 'existing'>): AreaHandlers<'browser'> {
  return {
    'browser.look': async ({ sessionId }) => {
      sessions.existing(sessionId);
      try {
        return await browser.look(sessionId) ?? null;
      } catch (cause) {
        // It went away, or loads another page, while it was looked at.
        throw new AppError('request/not-possible', 'The page cannot be seen at the moment.', { hint: 'It may be loading. Try again.', cause });
      }
    },
    'browser.hold': async ({ sessionId, held }) => {
      sessions.existing(sessionId);
      await browser.hold(sessionId, held);
      return {};
    },
    'browser.input': async ({ sessionId, input }) => {
      sessions.existing(sessionId);
      await browser.input(sessionId, input);
      return {};
    },
  };
}
