/** Terminal output as plain text for a model: no escape sequences, no control characters, overwritten lines left out. */
import { stripVTControlCharacters } from 'node:util';

// eslint-disable-next-line no-control-regex -- control bytes are the subject
const CONTROLS = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/g;
/** A progress bar draws over its own line: what stands before a bare carriage return was not meant to stay. */
const OVERWRITTEN = /^[^\n]*\r(?=[^\n\r])/gm;

export function plainText(output: string): string {
  return stripVTControlCharacters(output).replaceAll('\r\n', '\n').replace(OVERWRITTEN, '').replaceAll('\r', '').replace(CONTROLS, '');
}
