/** Texts that bash expands although no one runs them: prompts, and subscripts in the names of variables. */
import type { Inner } from './model.ts';
import { blockText, type Field } from './text.ts';

/** The commands in the subscript of a name that bash may be given as text: `a[$(cmd)]`. */
export function subscriptScript(field: Field): Inner[] {
  const inside = /^[A-Za-z_]\w*\[([^\]]*(?:\$\(|`).*)/s.exec(field.text)?.[1];
  return inside === undefined ? [] : [substitutionsOf(inside, field)];
}

/** Runs nothing but what is substituted in the text. */
export const substitutionsOf = (text: string, field: Field): Inner => ({ kind: 'script', text: blockText(`: "${text.replaceAll(/["\\]/g, '')}"`, field.start, field.end) });
