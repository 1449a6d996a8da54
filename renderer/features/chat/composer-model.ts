/** What the composer will do with a text, and the memory behind its ↑ key. Pure. */

export type InputMode =
  | { readonly kind: 'message' }
  /** `!command`: runs in the terminal tool, the model is not asked. */
  | { readonly kind: 'command'; readonly body: string }
  /** `/tool NAME {json}`: runs one tool, the model is not asked. */
  | { readonly kind: 'tool'; readonly body: string };

export function inputMode(text: string): InputMode {
  if (text.startsWith('!')) return { kind: 'command', body: text.slice(1).trimStart() };
  const tool = /^\/tool(?:\s+([\s\S]*))?$/.exec(text);
  return tool === null ? { kind: 'message' } : { kind: 'tool', body: tool[1] ?? '' };
}

/** The slash word being typed, without its slash: only at the very start and before the first space. */
export function slashWord(text: string): string | undefined {
  return /^\/(\S*)$/.exec(text)?.[1];
}

/** The tool name being typed after `/tool `. */
export function toolWord(text: string): string | undefined {
  return /^\/tool\s+(\S*)$/.exec(text)?.[1];
}

export interface Recall {
  /** -1: the person's own draft. */
  readonly at: number;
  readonly draft: string;
}

export const notRecalling: Recall = { at: -1, draft: '' };

/** One step back (`older`) or forth in `history`, which has the latest first. Undefined when there is nowhere to go. */
export function recall(state: Recall, direction: 'older' | 'newer', text: string, history: readonly string[]): { readonly state: Recall; readonly text: string } | undefined {
  const draft = state.at === -1 ? text : state.draft;
  const at = state.at + (direction === 'older' ? 1 : -1);
  if (at < -1 || at >= history.length) return undefined;
  return { state: { at, draft }, text: at === -1 ? draft : history[at] ?? '' };
}
