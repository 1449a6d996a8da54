/** A terminal as a file to keep: all of its text, or what the view holds with its colours. */
import type { Terminal } from '../../../preload/contract/terminal.ts';
import { bridge } from '../../bridge.ts';
import { saveText } from '../../ui/save-text.ts';
import type { Screen } from './screen/screen.ts';

const NAME_CHARS = 60;

export async function saveAll(terminal: Terminal): Promise<void> {
  const { text } = await bridge.request('terminals.text', { id: terminal.id });
  saveText(`${fileName(terminal)}.txt`, text);
}

export async function saveHtml(terminal: Terminal, screen: Screen): Promise<void> {
  saveText(`${fileName(terminal)}.html`, htmlPage(terminal.title, await screen.html()), 'text/html');
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
