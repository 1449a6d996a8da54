/** Text that another part of the window puts into the open composer, such as a selection from a terminal. */
type Listener = (text: string) => void;

const listeners = new Set<Listener>();

/** The composer that is drawn takes quotations. Returns what ends it. */
export function onQuote(listener: Listener): () => void {
  listeners.add(listener);
  return () => { listeners.delete(listener); };
}

export function quoteInComposer(text: string): void {
  for (const listener of listeners) listener(text);
}

/** The quotation below what was typed, with the caret's line free under it. */
export function withQuote(draft: string, quoted: string): string {
  const before = draft.trimEnd();
  return `${before === '' ? '' : `${before}\n\n`}${quoted.trimEnd()}\n`;
}
