/** Messages to people through messengers, as the tool that sends them sees it. */

export interface SentMessage {
  readonly platform: string;
  readonly chat_id: string;
  readonly message_id?: string;
  readonly note?: string;
  /** The agent that serves that chat knows of the message too. */
  readonly mirrored?: true;
}
export interface MessageTarget { readonly target: string; readonly title: string }

export interface MessageService {
  /** `target` is `platform`, `platform:chat` or `platform:chat:thread`; a chat may be named by its title. Throws an Error that names cause and next step. */
  send(target: string, message: string, sessionId?: string): Promise<SentMessage>;
  /** Chats that can be written to: home channels, and chats that were written from. */
  targets(): readonly MessageTarget[];
}
