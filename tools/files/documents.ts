/** Text of files that are text inside a container: notebooks, Word documents, Excel workbooks, PDF files (hermes-runtime 7.1). */
import { extensionOf } from './text.ts';

type Extracted = { readonly text: string; readonly error?: undefined } | { readonly error: string };

const NAMES: ReadonlyMap<string, string> = new Map([['ipynb', 'notebook'], ['docx', 'Word document'], ['xlsx', 'Excel workbook'], ['pdf', 'PDF file']]);

/** Undefined when the file is read as it is. `error` says why a document of a known kind could not be opened. */
export async function extractDocument(path: string, bytes: Uint8Array): Promise<Extracted | undefined> {
  const extension = extensionOf(path);
  const name = NAMES.get(extension);
  if (name === undefined) return undefined;
  try {
    if (extension === 'ipynb') return { text: notebookText(JSON.parse(new TextDecoder().decode(bytes))) };
    if (extension === 'pdf') return { text: await pdfText(bytes) };
    const { docxText, xlsxText } = await import('./office.ts');
    return { text: extension === 'docx' ? docxText(bytes) : xlsxText(bytes) };
  } catch (error) {
    return { error: `'${path}' is not a valid ${name}: ${error instanceof Error ? error.message : String(error)}` };
  }
}

/** Each page under a line with its number. A scanned page has no text: it is named, so that it can be looked at. */
async function pdfText(bytes: Uint8Array): Promise<string> {
  if (!new TextDecoder('latin1').decode(bytes.subarray(0, 1_024)).includes('%PDF-')) throw new Error('it does not begin with %PDF-');
  const { extractText, getDocumentProxy } = await import('unpdf');
  // The library takes the memory of what it is given.
  const { text: pages } = await extractText(await getDocumentProxy(Uint8Array.from(bytes)), { mergePages: false });
  return pages.map((page, index) => `--- page ${String(index + 1)} of ${String(pages.length)} ---\n${page.trim() || '(no text on this page: a picture or a scan)'}`).join('\n\n');
}

function joined(value: unknown): string {
  if (typeof value === 'string') return value;
  return Array.isArray(value) ? value.filter((part): part is string => typeof part === 'string').join('') : '';
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function notebookText(notebook: unknown): string {
  const cells = field(notebook, 'cells');
  if (!Array.isArray(cells)) throw new Error('it has no list of cells');
  return cells.map((cell: unknown, index) => {
    const kind = field(cell, 'cell_type');
    const outputs = field(cell, 'outputs');
    const shown = (Array.isArray(outputs) ? outputs : []).map(outputText).filter((text) => text !== '');
    return [`# %% [${typeof kind === 'string' ? kind : 'cell'} ${String(index + 1)}]`, joined(field(cell, 'source')),
      ...(shown.length > 0 ? ['# %% output', ...shown] : [])].join('\n');
  }).join('\n\n');
}

function outputText(output: unknown): string {
  const text = joined(field(output, 'text'));
  if (text !== '') return text;
  const error = field(output, 'ename');
  if (typeof error === 'string') return `${error}: ${joined(field(output, 'evalue'))}`;
  return joined(field(field(output, 'data'), 'text/plain'));
}
