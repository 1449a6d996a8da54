/** What a paste would do to a terminal. Pure. */
import { hasInvisible, splitInvisible } from '../../ui/invisible.ts';

export interface PasteCheck {
  /** What would be sent: line ends as the terminal wants them, control characters that could end a bracketed paste left out. */
  readonly text: string;
  readonly lines: number;
  readonly hidden: boolean;
  /** True when control characters were taken out. */
  readonly stripped: boolean;
}

/** Everything below space except tab and line ends, delete, and the C1 controls: none of them can be meant by a paste. */
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g; // eslint-disable-line no-control-regex -- these are what is looked for

export function checkPaste(pasted: string): PasteCheck {
  const text = pasted.replace(/\r\n?/g, '\n').replace(CONTROLS, '');
  const stripped = text.length !== pasted.replace(/\r\n?/g, '\n').length;
  const lines = text.replace(/\n$/, '').split('\n').length;
  return { text, lines, hidden: hasInvisible(text), stripped };
}

/** True when a person should look first: it runs more than one line, ends in Enter, or holds what cannot be seen. */
export function needsLook(check: PasteCheck): boolean {
  return check.lines > 1 || check.hidden || check.stripped || check.text.endsWith('\n');
}

/** The text without what cannot be seen. */
export function withoutHidden(text: string): string {
  return splitInvisible(text).map((piece) => (piece.kind === 'plain' ? piece.text : '')).join('');
}

/** The lines joined by spaces, so that nothing runs before Enter is pressed. */
export function asOneLine(text: string): string {
  return text.split('\n').map((line) => line.trim()).filter((line) => line !== '').join(' ');
}
