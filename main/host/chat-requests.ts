/** `chat.*` and `tour.*`: talking to a chat. */
import { AppError } from '../../preload/contract/errors.ts';
import type { Agent } from '../agent/agent.ts';
import { createTourClient, makeTourFolder, TOUR_LABEL, TOUR_PROMPT, TOUR_TITLE } from '../agent/tour.ts';
import { resultText } from '../agent/transcript.ts';
import type { Clock, Storage } from '../ports.ts';
import type { AreaHandlers } from './handlers.ts';
import type { Sessions } from './sessions.ts';

export interface ChatRequestParts { readonly agent: Agent; readonly clock: Clock; readonly sessions: Sessions; readonly storage: Storage }

export function chatRequests({ agent, clock, sessions, storage }: ChatRequestParts): AreaHandlers<'chat'> & AreaHandlers<'tour'> {
  return {
    'chat.send': ({ sessionId, text, steer }) => {
      sessions.existing(sessionId);
      if (text.trim() === '') throw new AppError('request/invalid', 'The message is empty.');
      return agent.send(sessionId, text, steer === undefined ? {} : { steer });
    },
    'chat.unqueue': ({ sessionId, messageId }) => {
      sessions.existing(sessionId);
      agent.unqueue(sessionId, messageId);
      return {};
    },
    'chat.stop': async ({ sessionId }) => {
      sessions.existing(sessionId);
      await agent.stop(sessionId);
      return {};
    },
    'chat.stopCall': ({ sessionId, callId }) => {
      sessions.existing(sessionId);
      agent.stopCall(sessionId, callId);
      return {};
    },
    'chat.retry': ({ sessionId }) => {
      sessions.existing(sessionId);
      agent.retry(sessionId);
      return {};
    },
    'chat.answer': ({ callId, answer, reply }) => {
      agent.answer(callId, answer, reply);
      return {};
    },
    'chat.result': ({ callId }) => {
      const call = storage.calls.get(callId);
      if (!call) throw new AppError('not-found', 'There is no such tool call.');
      return { text: resultText(call) };
    },
    'tour.start': async () => {
      const folder = await makeTourFolder();
      const session = await sessions.create({ title: TOUR_TITLE, cwd: folder, origin: 'tour' });
      agent.runner(session.id).chat.addNotice('notice/tour', TOUR_LABEL, 0);
      agent.send(session.id, TOUR_PROMPT, { client: createTourClient(folder, clock) });
      return sessions.existing(session.id);
    },
  };
}
