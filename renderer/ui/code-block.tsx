import { memo, useEffect, useState } from 'react';
import type { CSSProperties } from 'react';
import { classNames } from './class-names.ts';
import { CopyButton } from './copy-button.tsx';
import { highlightCode } from './highlight.ts';
import type { CodeToken } from './highlight.ts';
import { VisibleText } from './visible-text.tsx';

export interface CodeBlockProps {
  readonly code: string;
  /** A fence's word such as `ts`; unknown or absent means plain text. */
  readonly language?: string;
  /** Read aloud as the name of the scrollable block. */
  readonly label?: string;
  /** True while more text arrives: colours wait until it is whole. */
  readonly incomplete?: boolean;
  /** Long lines break instead of scrolling sideways. */
  readonly wrap?: boolean;
  /** A Tailwind class such as `max-h-80`; above it the block scrolls by itself. */
  readonly maxHeight?: string;
  readonly className?: string;
}

export const CodeBlock = memo(function CodeBlock({ code, language = '', label, incomplete = false, wrap = false, maxHeight = 'max-h-96', className }: CodeBlockProps) {
  const lines = useHighlight(code, language, incomplete);
  return (
    <div className={classNames('group/code relative rounded-md border border-line bg-sunken', className)}>
      <pre
        tabIndex={0} role="group" aria-label={label ?? (language === '' ? 'Code' : `Code, ${language}`)}
        className={classNames('focus-inset overflow-auto rounded-md px-3 py-2 text-xs leading-[18px]', wrap ? 'wrap-anywhere whitespace-pre-wrap' : 'whitespace-pre', maxHeight)}
      >
        <code>{lines === undefined ? <VisibleText text={code} /> : lines.map((line, index) => <CodeLine key={index} line={line} last={index === lines.length - 1} />)}</code>
      </pre>
      <CopyButton text={code} label="Copy code" className="absolute top-1 right-1 bg-raised opacity-0 group-focus-within/code:opacity-100 group-hover/code:opacity-100" />
    </div>
  );
});

function CodeLine({ line, last }: { readonly line: readonly CodeToken[]; readonly last: boolean }) {
  return (
    <>
      {line.map((token, index) => <span key={index} className="code-token" style={tokenStyle(token)}><VisibleText text={token.text} /></span>)}
      {last ? null : '\n'}
    </>
  );
}

function tokenStyle(token: CodeToken): CSSProperties {
  const style: Record<string, string> = { '--token-light': token.light ?? 'inherit', '--token-dark': token.dark ?? 'inherit' };
  return style;
}

function useHighlight(code: string, language: string, incomplete: boolean): readonly (readonly CodeToken[])[] | undefined {
  const [result, setResult] = useState<{ code: string; lines: readonly (readonly CodeToken[])[] | undefined }>();
  useEffect(() => {
    if (incomplete || language === '') return;
    let current = true;
    highlightCode(code, language).then(
      (lines) => { if (current) setResult({ code, lines }); },
      (error: unknown) => { console.warn(`colours for ${language} are missing`, error); },
    );
    return () => { current = false; };
  }, [code, language, incomplete]);
  return result !== undefined && result.code === code ? result.lines : undefined;
}
