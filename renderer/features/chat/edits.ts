/** Messages that are being edited in their place. They live outside of the list, which throws away what scrolls out of sight. */
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { MessageId } from '../../../preload/contract/index.ts';

const edits = createStore<ReadonlyMap<MessageId, string>>()(() => new Map());
/** The editor that was just asked for: it takes the focus once. */
let justBegun: MessageId | undefined;

export function writeEdit(id: MessageId, text: string): void {
  edits.setState(new Map(edits.getState()).set(id, text), true);
}

export function beginEdit(id: MessageId, text: string): void {
  justBegun = id;
  writeEdit(id, text);
}

export function endEdit(id: MessageId): void {
  const left = new Map(edits.getState());
  left.delete(id);
  edits.setState(left, true);
}

/** True once after `beginEdit`. */
export function takesFocus(id: MessageId): boolean {
  const takes = justBegun === id;
  if (takes) justBegun = undefined;
  return takes;
}

/** The text as it stands in the editor; undefined while that message is not being edited. */
export function useEdit(id: MessageId): string | undefined {
  return useStore(edits, (texts) => texts.get(id));
}
