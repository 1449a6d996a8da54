/** Text of Office Open XML files. Loaded only when one is read. */
import { XMLParser } from 'fast-xml-parser';
import { strFromU8, unzipSync } from 'fflate';

/** Unpacked size above which an archive is refused: a small file can unpack to gigabytes. */
const MAX_UNPACKED_BYTES = 64 * 1024 * 1024;

/** Elements in document order: `{ "w:p": [children], ":@": attributes }`, text as `{ "#text": … }`. */
type Node = Readonly<Record<string, unknown>>;

const parser = new XMLParser({ preserveOrder: true, ignoreAttributes: false, attributeNamePrefix: '', trimValues: false, parseTagValue: false, processEntities: true });

function unpack(bytes: Uint8Array, wanted: (name: string) => boolean): Map<string, string> {
  let total = 0;
  const files = unzipSync(bytes, {
    filter: ({ name, originalSize }) => {
      if (!wanted(name)) return false;
      total += originalSize;
      if (total > MAX_UNPACKED_BYTES) throw new Error('it unpacks to more than 64 MiB');
      return true;
    },
  });
  return new Map(Object.entries(files).map(([name, content]) => [name, strFromU8(content)]));
}

const parse = (xml: string): readonly Node[] => parser.parse(xml) as readonly Node[]; // the shape of preserveOrder

const nameOf = (node: Node): string => Object.keys(node).find((key) => key !== ':@') ?? '';

function childrenOf(node: Node): readonly Node[] {
  const children = node[nameOf(node)];
  return Array.isArray(children) ? children as readonly Node[] : [];
}

function attribute(node: Node, name: string): string | undefined {
  const attributes = node[':@'];
  const value: unknown = typeof attributes === 'object' && attributes !== null ? Reflect.get(attributes, name) : undefined;
  return typeof value === 'string' ? value : undefined;
}

function* descendants(nodes: readonly Node[], name: string): Generator<Node> {
  for (const node of nodes) {
    if (nameOf(node) === name) yield node;
    else yield* descendants(childrenOf(node), name);
  }
}

/** Text of a paragraph or run: text nodes, tabs and breaks in order. */
function runText(nodes: readonly Node[]): string {
  return nodes.map((node) => {
    const name = nameOf(node);
    if (name === 'w:t' || name === 't') return childrenOf(node).map((child) => (typeof child['#text'] === 'string' ? child['#text'] : '')).join('');
    if (name === 'w:tab') return '\t';
    if (name === 'w:br' || name === 'w:cr') return '\n';
    return name === 'w:delText' || name === 'rPh' ? '' : runText(childrenOf(node));
  }).join('');
}

/** Paragraphs by line; table rows by line with cells parted by tabs. */
export function docxText(bytes: Uint8Array): string {
  const document = unpack(bytes, (name) => name === 'word/document.xml').get('word/document.xml');
  if (document === undefined) throw new Error('it has no word/document.xml');
  const lines: string[] = [];
  for (const body of descendants(parse(document), 'w:body')) {
    for (const block of childrenOf(body)) {
      if (nameOf(block) === 'w:tbl') {
        for (const row of descendants(childrenOf(block), 'w:tr')) {
          lines.push([...descendants(childrenOf(row), 'w:tc')].map((cell) => runText(childrenOf(cell))).join('\t'));
        }
      } else {
        lines.push(runText(childrenOf(block)));
      }
    }
  }
  return lines.join('\n');
}

/** Sheets in the order of the workbook, each under its name; rows by line with cells parted by tabs. */
export function xlsxText(bytes: Uint8Array): string {
  const files = unpack(bytes, (name) => /^xl\/(workbook\.xml|_rels\/workbook\.xml\.rels|sharedStrings\.xml|worksheets\/[^/]+\.xml)$/.test(name));
  const workbook = files.get('xl/workbook.xml');
  if (workbook === undefined) throw new Error('it has no xl/workbook.xml');
  const targets = new Map([...descendants(parse(files.get('xl/_rels/workbook.xml.rels') ?? ''), 'Relationship')]
    .map((relation) => [attribute(relation, 'Id'), (attribute(relation, 'Target') ?? '').replace(/^\/?(xl\/)?/, 'xl/')]));
  const shared = [...descendants(parse(files.get('xl/sharedStrings.xml') ?? ''), 'si')].map((item) => runText(childrenOf(item)));
  return [...descendants(parse(workbook), 'sheet')].map((sheet) => {
    const xml = files.get(targets.get(attribute(sheet, 'r:id')) ?? '') ?? '';
    const rows = [...descendants(parse(xml), 'row')].map((row) => rowText(row, shared));
    return [`# Sheet: ${attribute(sheet, 'name') ?? ''}`, ...rows].join('\n');
  }).join('\n\n');
}

function rowText(row: Node, shared: readonly string[]): string {
  const cells: string[] = [];
  for (const cell of descendants(childrenOf(row), 'c')) {
    const column = columnOf(attribute(cell, 'r')) ?? cells.length;
    while (cells.length < column) cells.push('');
    cells.push(cellText(cell, shared));
  }
  return cells.join('\t');
}

function cellText(cell: Node, shared: readonly string[]): string {
  const [value] = descendants(childrenOf(cell), 'v');
  const raw = value === undefined ? '' : childrenOf(value).map((child) => (typeof child['#text'] === 'string' ? child['#text'] : '')).join('');
  switch (attribute(cell, 't')) {
    case 's': return shared[Number(raw)] ?? '';
    case 'inlineStr': return runText(childrenOf(cell));
    case 'b': return raw === '1' ? 'TRUE' : 'FALSE';
    default: return raw;
  }
}

/** Zero-based column of a cell name such as `AB12`. */
function columnOf(name: string | undefined): number | undefined {
  const letters = /^[A-Z]+/.exec(name ?? '')?.[0];
  if (letters === undefined) return undefined;
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}
