import { ImageOff } from 'lucide-react';
import { memo, useEffect, useState, useTransition } from 'react';
import type { ReactNode } from 'react';
import { Streamdown, useIsCodeFenceIncomplete } from 'streamdown';
import type { Components, ExtraProps } from 'streamdown';
import { CodeBlock } from './code-block.tsx';
import { MarkdownLink } from './markdown-link.tsx';
import './markdown.css';

type CodeProps = React.JSX.IntrinsicElements['code'] & ExtraProps & { readonly 'data-block'?: string };

/** Fenced code; Streamdown marks what stands in a <pre>. */
function Code(props: CodeProps) {
  const incomplete = useIsCodeFenceIncomplete();
  const text = textOf(props.children);
  if (!('data-block' in props)) return <code className="inline-code">{text}</code>;
  const language = /language-(\S+)/.exec(props.className ?? '')?.[1] ?? '';
  return <CodeBlock code={text.replace(/\n$/, '')} language={language} incomplete={incomplete} className="my-2" />;
}

/** Nothing is fetched from elsewhere because a model wrote an address: the picture is named, and its address can be opened by hand. */
function Image({ src, alt }: React.JSX.IntrinsicElements['img'] & ExtraProps) {
  const address = typeof src === 'string' ? src : '';
  const name = alt === undefined || alt === '' ? 'without a description' : alt;
  return (
    <span className="inline-flex items-center gap-1.5 rounded-md border border-line bg-panel px-2 py-0.5 text-xs text-muted">
      <ImageOff size={14} aria-hidden className="shrink-0" />
      <span>Picture not loaded: {name}</span>
      {/^https?:/.test(address) ? <MarkdownLink href={address}>address</MarkdownLink> : null}
    </span>
  );
}

function Table({ children }: React.JSX.IntrinsicElements['table'] & ExtraProps) {
  return <div tabIndex={0} role="group" aria-label="Table" className="my-2 overflow-x-auto"><table>{children}</table></div>;
}

/** Headings go two levels down, below the title of the chat. Everything else is drawn plainly and styled by `markdown.css`. */
const COMPONENTS: Components = {
  a: ({ href, children }: React.JSX.IntrinsicElements['a'] & ExtraProps) => <MarkdownLink href={href ?? ''}>{children}</MarkdownLink>,
  blockquote: 'blockquote', code: Code, h1: 'h3', h2: 'h4', h3: 'h5', h4: 'h6', h5: 'h6', h6: 'h6', hr: 'hr', img: Image, li: 'li', ol: 'ol',
  p: 'p', section: 'section', strong: 'strong', sub: 'sub', sup: 'sup', table: Table, tbody: 'tbody', td: 'td', th: 'th', thead: 'thead', tr: 'tr', ul: 'ul',
};

export interface MarkdownProps {
  readonly text: string;
  /** While true the end of the text may be cut in the middle of a mark-up. */
  readonly streaming: boolean;
}

/** Blocks that are finished are not drawn again while the last one grows. */
export const Markdown = memo(function Markdown({ text, streaming }: MarkdownProps) {
  /** What was whole from the start is read in one go, which costs less; what streamed stays as it is, so that nothing is drawn anew at its end. */
  const [live] = useState(streaming);
  const paced = usePaced(text);
  return (
    <Streamdown mode={live ? 'streaming' : 'static'} parseIncompleteMarkdown={streaming} isAnimating={streaming} components={COMPONENTS} controls={false} linkSafety={NO_LINK_DIALOG} dir="auto" className="markdown">
      {streaming ? paced : text}
    </Streamdown>
  );
});

const NO_LINK_DIALOG = { enabled: false } as const;

/**
 * Follows a growing text as quickly as it can be drawn, and no quicker: the next piece is drawn when the one before it is on the screen, in
 * slices between which keys and frames have their turn. On a busy machine pieces get longer instead of frames.
 */
function usePaced(text: string): string {
  const [shown, setShown] = useState(text);
  const [drawing, startTransition] = useTransition();
  useEffect(() => {
    if (!drawing && shown !== text) startTransition(() => { setShown(text); });
  }, [drawing, shown, text]);
  return shown;
}

function textOf(children: ReactNode): string {
  if (typeof children === 'string') return children;
  if (typeof children === 'number') return String(children);
  return Array.isArray(children) ? children.map((child: ReactNode) => textOf(child)).join('') : '';
}
