import { useMemo } from 'react';
import { splitInvisible } from './invisible.ts';

/** Text from a model or a program, inert and complete: what cannot be seen is shown as an escape. Wrap it in <pre> to keep line breaks. */
export function VisibleText({ text }: { readonly text: string }) {
  const pieces = useMemo(() => splitInvisible(text), [text]);
  return pieces.map((piece, index) => piece.kind === 'plain'
    ? piece.text
    : <span key={index} title={piece.name} className="rounded-sm bg-danger-soft px-0.5 font-mono text-danger">{piece.text}</span>);
}
