/** One chat: transcript, tool calls, composer. */
export { ChatView } from './chat-view.tsx';
export { ChatProvider } from './context.tsx';
export { findInChat, takesFindKeys } from './find.ts';
export { onFinishedMessage } from './finished.ts';
export { findCall } from './model.ts';
export { quoteInComposer } from './quotes.ts';
export { ChatSlotsProvider } from './slots.tsx';
export type { ChatSlots, SlashCommand } from './slots.tsx';
export { createChat, everyFrame } from './store.ts';
export type { ChatFeature } from './store.ts';
