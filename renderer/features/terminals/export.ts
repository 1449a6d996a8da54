/** A terminal as a file to keep: all of its text, or its screen with colours. The host leaves known secrets out of both. */
import type { Terminal } from '../../../preload/contract/terminal.ts';
import { bridge } from '../../bridge.ts';
import { saveText } from '../../ui/save-text.ts';

const NAME_CHARS = 60;

export async function saveAll(terminal: Terminal): Promise<void> {
  const { text } = await bridge.request('terminals.text', { id: terminal.id });
  saveText(`${fileName(terminal)}.txt`, text);
}

/** With the colours of the theme around `near`. */
export async function saveHtml(terminal: Terminal, near: HTMLElement): Promise<void> {
  const [{ screen }, { htmlOf }] = await Promise.all([bridge.request('terminals.screen', { id: terminal.id }), import('./screen/html.ts')]);
  saveText(`${fileName(terminal)}.html`, htmlPage(terminal.title, await htmlOf(screen, { cols: terminal.cols, rows: terminal.rows }, near)), 'text/html');
}

/** A whole page that may load and run nothing, whatever the program printed. */
export function htmlPage(title: string, body: string): string {
  return `<!doctype html>
<html><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escaped(title)}</title></head>
<body>${body}</body></html>
`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (mark) => `&#${mark.charCodeAt(0)};`);
}

function fileName(terminal: Terminal): string {
  return terminal.title.replace(/[^\w.-]+/g, '-').slice(0, NAME_CHARS) || 'terminal';
}
