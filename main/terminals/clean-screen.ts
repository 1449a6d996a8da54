/** Hides secrets in what a screen shows before it is kept or handed out. */
import { plainText } from '../../tools/shared/plain-text.ts';

const LINE_END = '\r\n';
const ESCAPE = '\x1b';
/** A drawn screen skips blank cells by moving the cursor. */
const FORWARD = new RegExp(String.raw`${ESCAPE}\[(\d*)C`, 'g');
/** What stays in force behind the line it stands in: colours, modes. */
const LASTING = new RegExp(String.raw`${ESCAPE}\[[?\d;:]*[mhl]`, 'g');

/**
 * The drawn screen without known secrets. The control sequences in it would keep a secret from being known as one, between its letters or right
 * before them: each line is looked at as plain text, and one that holds a secret gives up its colours. A secret of several lines costs all colours.
 */
export function cleanScreen(drawn: string, redact: (text: string) => string): string {
  const plain = asText(drawn);
  const hidden = redact(plain);
  if (hidden === plain) return redact(drawn);
  const clean = drawn.split(LINE_END).map((line) => {
    const text = asText(line);
    const shown = redact(text);
    return shown === text ? line : shown + (line.match(LASTING) ?? []).join('');
  }).join(LINE_END);
  return asText(clean) === hidden ? clean : hidden.replaceAll('\n', LINE_END);
}

function asText(drawn: string): string {
  return plainText(drawn.replace(FORWARD, (_all, count: string) => ' '.repeat(Math.min(Number(count || 1), 1_000))));
}
