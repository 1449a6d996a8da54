/** What the window puts into a chat from other features; `renderer/app` provides it, so that the chat knows none of them. */
import { createContext, useContext } from 'react';
import type { ComponentType, ReactNode } from 'react';
import type { ApprovalId, Attachment, Message, Session, SessionId, TerminalId, ToolCall } from '../../../preload/contract/index.ts';

/** An entry of the list that `/` opens in the composer. */
export interface SlashCommand {
  /** Without the slash. */
  readonly name: string;
  readonly description: string;
  readonly run: () => void;
}

export interface ChatSlots {
  readonly ApprovalCard: ComponentType<{ readonly requestId: ApprovalId }>;
  readonly TerminalPreview: ComponentType<{ readonly terminalId: TerminalId }>;
  /** What was kept before a call changed files; nothing when nothing was. */
  readonly CallCheckpoints: ComponentType<{ readonly call: ToolCall }>;
  /** What was kept of files since a message; nothing when nothing was. */
  readonly KeptSince: ComponentType<{ readonly message: Message }>;
  /** Pictures and sound that a call made. */
  readonly CallMedia: ComponentType<{ readonly call: ToolCall }>;
  /** A file that a reply names, in its place. */
  readonly ReplyFile: ComponentType<{ readonly path: string; readonly sessionId: SessionId }>;
  /** A file that went with a message, and a picture that will. */
  readonly AttachedFile: ComponentType<{ readonly attachment: Attachment; readonly sessionId: SessionId }>;
  readonly AttachedPicture: ComponentType<{ readonly attachment: Attachment; readonly sessionId: SessionId | undefined }>;
  /** The page of the chat's browser, live. */
  readonly LiveBrowser: ComponentType<{ readonly sessionId: SessionId; readonly working: boolean }>;
  /** On which backend a chat's commands run, and the wall around them. */
  readonly PlacePicker: ComponentType<{ readonly session: Session }>;
  readonly ModelPicker: ComponentType<{ readonly session: Session }>;
  /** Stands in an empty chat, and where no chat is open. */
  readonly Welcome: ComponentType;
  readonly openTerminal: (terminalId: TerminalId) => void;
  readonly slashCommands: readonly SlashCommand[];
  /** Stand at the two ends of the chat's title row. */
  readonly headerStart: ReactNode;
  readonly headerEnd: ReactNode;
}

const SlotsContext = createContext<ChatSlots | undefined>(undefined);

export const ChatSlotsProvider = SlotsContext.Provider;

export function useChatSlots(): ChatSlots {
  const slots = useContext(SlotsContext);
  if (slots === undefined) throw new Error('useChatSlots was called outside ChatSlotsProvider.');
  return slots;
}
