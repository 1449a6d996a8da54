/** Text of files that are text inside a container: notebooks, Word documents, Excel workbooks (hermes-runtime 7.1). */
import { extensionOf } from './text.ts';

type Extracted = { readonly text: string; readonly error?: undefined } | { readonly error: string };

const NAMES: ReadonlyMap<string, string> = new Map([['ipynb', 'notebook'], ['docx', 'Word document'], ['xlsx', 'Excel workbook']]);

/** Undefined when the file is read as it is. `error` says why a document of a known kind could not be opened. */
export async function extractDocument(path: string, bytes: Uint8Array): Promise<Extracted | undefined> {
  const extension = extensionOf(path);
  const name = NAMES.get(extension);
  if (name === undefined) return undefined;
  try {
    if (extension === 'ipynb') return { text: notebookText(JSON.parse(new TextDecoder().decode(bytes))) };
    const { docxText, xlsxText } = await import('./office.ts');
    return { text: extension === 'docx' ? docxText(bytes) : xlsxText(bytes) };
  } catch (error) {
    return { error: `'${path}' is not a valid ${name}: ${error instanceof Error ? error.message : String(error)}` };
  }
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
