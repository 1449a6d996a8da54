/** `/name words`: a skill that the person names is put into the chat for that message, as a notice that both readers see. */
import type { SessionId } from '../../preload/contract/ids.ts';
import type { Chat } from './chat.ts';
import type { AgentParts } from './parts.ts';

/** `first` is for both readers; `rest`, the skill's text, is the model's, and screens fold it away. */
export interface NamedSkill { readonly first: string; readonly rest: string }
/** Undefined where the text begins with no skill's name. Never rejects. */
export type FindNamedSkill = (sessionId: SessionId, text: string) => Promise<NamedSkill | undefined>;

/** The name behind the slash: a skill's, or its category and name. */
export function namedSkill(text: string): string | undefined {
  return /^\/([a-z0-9][a-z0-9._-]*(?:\/[a-z0-9][a-z0-9._-]*)*)(?=\s|$)/.exec(text.trimStart())?.[1];
}

/** Each user message of the turn brings the skill that it names, once: a turn that is tried again has it already. */
export async function bringNamedSkills(chat: Chat, turn: number, { namedSkill: find, storage }: AgentParts): Promise<void> {
  if (find === undefined) return;
  const { messages } = storage.messages.page(chat.id, { limit: LAST_MESSAGES });
  const own = messages.filter((message) => message.turn === turn && message.state !== 'queued');
  const brought = own.filter(({ error }) => error?.code === 'notice/skill').length;
  const naming = own.filter(({ role, text }) => role === 'user' && namedSkill(text) !== undefined);
  let left = brought;
  for (const { text } of naming) {
    const skill = await find(chat.id, text);
    if (skill === undefined) continue;
    if (left > 0) left -= 1;
    else chat.addNotice('notice/skill', skill.rest === '' ? skill.first : `${skill.first}\n${skill.rest}`, turn);
  }
}

/** A turn's messages lie at the end of a chat. */
const LAST_MESSAGES = 300;
