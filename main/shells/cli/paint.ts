/** Colours for people, and nothing at all where they are not wanted. */

const codes = { bold: [1, 22], dim: [2, 22], underline: [4, 24], inverse: [7, 27], red: [31, 39], green: [32, 39], yellow: [33, 39], cyan: [36, 39] } as const;
export type Style = keyof typeof codes;
export type Paint = (style: Style, text: string) => string;

export function painter(colour: boolean): Paint {
  return (style, text) => (colour ? `\u001b[${codes[style][0]}m${text}\u001b[${codes[style][1]}m` : text);
}
