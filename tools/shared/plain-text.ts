/** Terminal output as plain text for a model or a file: no escape sequences, no control characters, overwritten lines left out. */

/**
 * The forms of ECMA-48: control sequences with any private mark, sub-parameters and intermediate bytes; titles and links, which hold no line
 * end; strings for the device (pictures, queries), which may; all other escapes. What is never closed loses its beginning only.
 */
// eslint-disable-next-line no-control-regex -- control bytes are the subject
const SEQUENCE = /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b\]|\x9d)[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)|(?:\x1b[PX^_]|[\x90\x98\x9e\x9f])[^\x1b\x9c]*(?:\x1b\\|\x9c)|\x1b\[[0-?]*[ -/]*$|\x1b[ -/]*[0-~]/g;
const CONTROLS = /[^\P{Cc}\n\t]/gu;
/** A progress bar draws over its own line: what stands before a bare carriage return was not meant to stay. */
const OVERWRITTEN = /^[^\n]*\r(?=[^\n\r])/gm;

export function plainText(output: string): string {
  return output.replace(SEQUENCE, '').replaceAll('\r\n', '\n').replace(OVERWRITTEN, '').replaceAll('\r', '').replace(CONTROLS, '');
}
