/**
 * Local reasoning models write `<think>…</think>` at the start of their text instead of using a field of its own. This
 * takes that block out of the stream, whatever the fragments are cut into. A tag later in the text is ordinary text.
 */

export interface TextPart { readonly kind: 'text' | 'reasoning'; readonly text: string }

const OPEN = '<think>';
const CLOSE = '</think>';

/** Longest end of `text` that could be the beginning of `tag`. */
function heldBack(text: string, tag: string): number {
  for (let size = Math.min(tag.length - 1, text.length); size > 0; size -= 1) {
    if (tag.startsWith(text.slice(-size))) return size;
  }
  return 0;
}

export function createThinkSplitter(): { add(fragment: string): TextPart[]; end(): TextPart[] } {
  let mode: 'start' | 'thinking' | 'after' | 'text' = 'start';
  let held = '';

  function add(fragment: string): TextPart[] {
    const text = held + fragment;
    held = '';
    switch (mode) {
      case 'text':
        return text === '' ? [] : [{ kind: 'text', text }];
      case 'start': {
        const begun = text.trimStart();
        if (begun.startsWith(OPEN)) {
          mode = 'thinking';
          return add(begun.slice(OPEN.length));
        }
        if (OPEN.startsWith(begun)) {
          held = text;
          return [];
        }
        mode = 'text';
        return add(text);
      }
      case 'thinking': {
        const close = text.indexOf(CLOSE);
        if (close >= 0) {
          mode = 'after';
          return [...thought(text.slice(0, close)), ...add(text.slice(close + CLOSE.length))];
        }
        const keep = heldBack(text, CLOSE);
        held = text.slice(text.length - keep);
        return thought(text.slice(0, text.length - keep));
      }
      case 'after': {
        const rest = text.trimStart();
        if (rest === '') return [];
        mode = 'text';
        return add(rest);
      }
    }
  }

  return {
    add,
    end() {
      const rest = held;
      held = '';
      if (rest === '') return [];
      return [{ kind: mode === 'thinking' ? 'reasoning' : 'text', text: rest }];
    },
  };
}

function thought(text: string): TextPart[] {
  return text === '' ? [] : [{ kind: 'reasoning', text }];
}
