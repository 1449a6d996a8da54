import { createContext, useContext } from 'react';
import { useStore } from 'zustand';
import type { Message, MessageId } from '../../../preload/contract/index.ts';
import type { Chat } from './model.ts';
import type { ChatFeature } from './store.ts';

const ChatContext = createContext<ChatFeature | undefined>(undefined);

export const ChatProvider = ChatContext.Provider;

export function useChatFeature(): ChatFeature {
  const feature = useContext(ChatContext);
  if (feature === undefined) throw new Error('useChatFeature was called outside ChatProvider.');
  return feature;
}

/** A part of the open chat; undefined while none is open. Select narrowly: a streamed word must redraw one message only. */
export function useChat<Part>(select: (chat: Chat) => Part): Part | undefined {
  return useStore(useChatFeature().store, (state) => (state.chat === undefined ? undefined : select(state.chat)));
}

export function useMessage(id: MessageId): Message | undefined {
  return useChat((chat) => chat.messages.get(id));
}
