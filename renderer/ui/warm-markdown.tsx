/** The first words of a reply came late: code that has never run takes three times as long, 60 ms in one piece. */
import { startTransition } from 'react';
import { createRoot } from 'react-dom/client';
import { Markdown } from './markdown.tsx';

/** One of each kind that models write. */
const SAMPLE = `## A

A **b** \`c\` *d* [e](https://example.com) and more.

1. f
   - g

> h

| i | j |
|---|---|
| k | l |

\`\`\`
m
\`\`\`

n`;
const ROUNDS = 3;

/** Draws a sample where nobody sees it, in slices, while the window has nothing else to do. */
export function warmMarkdown(): void {
  requestIdleCallback(() => {
    const root = createRoot(document.createElement('div'));
    const draw = (round: number): void => {
      if (round === ROUNDS) root.unmount();
      else {
        startTransition(() => { root.render(<Markdown text={SAMPLE.repeat(round + 1)} streaming />); });
        requestIdleCallback(() => { draw(round + 1); });
      }
    };
    draw(0);
  });
}
