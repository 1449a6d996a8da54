/** Line ends of a text. */

export function dominantEol(text: string): '\n' | '\r\n' {
  const all = text.split('\n').length - 1;
  const windows = text.split('\r\n').length - 1;
  return windows > 0 && windows * 2 >= all ? '\r\n' : '\n';
}

/** Gives every line of `text` the given end. */
export function withEol(text: string, eol: '\n' | '\r\n'): string {
  const plain = text.replaceAll('\r\n', '\n');
  return eol === '\n' ? plain : plain.replaceAll('\n', '\r\n');
}
