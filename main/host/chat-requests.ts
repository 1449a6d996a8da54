/** `chat.*` and `tour.*`: talking to a chat. */
import { AppError } from '../../preload/contract/errors.ts';
import type { Agent } from '../agent/agent.ts';
import { createTourClient, makeTourFolder, TOUR_LABEL, TOUR_PROMPT, TOUR_TITLE } from '../agent/tour.ts';
import { isCommand } from '../agent/commands.ts';
import type { Attachments } from '../composer/attachments.ts';
import { resultText } from '../agent/transcript.ts';
import type { Clock, Storage } from '../ports.ts';
import type { AreaHandlers } from './handlers.ts';
import type { Sessions } from './sessions.ts';

export interface ChatRequestParts { readonly agent: Agent; readonly clock: Clock; readonly sessions: Sessions; readonly storage: Storage; /** Files that go with messages. */ readonly files: Pick<Attachments, 'find'> }

export function chatRequests({ agent, clock, sessions, storage, files }: ChatRequestParts): AreaHandlers<'chat'> & AreaHandlers<'tour'> {
  return {
    'chat.send': async ({ sessionId, text, steer, attachments: ids = [] }) => {
      sessions.existing(sessionId);
      if (text.trim() === '' && ids.length === 0) throw new AppError('request/invalid', 'The message is empty.');
      if (ids.length > 0 && isCommand(text)) throw new AppError('request/invalid', 'Files go with words for the model, not with a command.', { hint: 'Take them off, or send them by themselves first.' });
      const attachments = await files.find(ids);
      if (attachments.length < ids.length) throw new AppError('request/invalid', 'A file that was attached is not there any more.', { hint: 'Take it off and attach it again.' });
      return agent.send(sessionId, text, { ...(steer === undefined ? {} : { steer }), ...(attachments.length === 0 ? {} : { attachments }) });
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
