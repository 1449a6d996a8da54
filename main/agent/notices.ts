/** The app's own words in a chat. Some are only for the person; the others are told to the model too, marked as such. */
import type { Message } from '../../preload/contract/sessions.ts';

/** What a notice is about; the second list is what the model is told as well. */
export const NOTICE_CODES = ['notice/tour', 'notice/budget', 'notice/retry', 'notice/length', 'notice/stopped', 'notice/process', 'notice/approval', 'notice/restart', 'notice/fork', 'notice/trimmed', 'notice/delegation', 'notice/command', 'notice/schedule', 'notice/message', 'notice/skill'] as const;
export type NoticeCode = (typeof NOTICE_CODES)[number];

const TOLD_TO_MODEL: ReadonlySet<string> = new Set<NoticeCode>(['notice/stopped', 'notice/process', 'notice/approval', 'notice/restart', 'notice/fork', 'notice/trimmed', 'notice/budget', 'notice/delegation', 'notice/schedule', 'notice/message', 'notice/skill']);

export function isToldToModel(message: Pick<Message, 'role' | 'error'>): boolean {
  return message.role === 'notice' && message.error !== null && TOLD_TO_MODEL.has(message.error.code);
}

const ABOUT_ENDING: ReadonlySet<string> = new Set<NoticeCode>(['notice/budget', 'notice/length', 'notice/stopped']);

/** Says how a turn ended: void once that turn is tried again. */
export function isAboutEnding(message: Pick<Message, 'role' | 'state' | 'error'>): boolean {
  return message.role === 'notice' && (message.state === 'error' || (message.error !== null && ABOUT_ENDING.has(message.error.code)));
}

/** How a notice reads for the model: a user-role message that says it is none of the user's words. */
export function noticeForModel(text: string): string {
  return `[Notice from the app, not written by the user]\n${text}`;
}
