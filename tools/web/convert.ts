/** A page's bytes as text: HTML as markdown of its main part, PDF as text. Runs in a worker: hostile pages cost time. */

export interface ConvertRequest { readonly kind: 'html' | 'pdf'; readonly bytes: Uint8Array; readonly charset: string | undefined; readonly url: string }
export interface Converted { readonly title: string; readonly content: string }

/** Readability gives up beyond this many elements; the page as a whole is then used. */
const MAX_ELEMENTS = 200_000;
/** Shorter than this, what Readability took for the article is compared with the whole page. */
const SHORT_ARTICLE_CHARS = 250;
const MAX_PDF_PAGES = 500;
/** Pages of people nest some dozens deep. Beyond this the work grows with the square of the depth, so only the plain text is taken. */
const MAX_DEPTH = 600;
/** Never part of what a page says. */
const NOISE = 'script, style, noscript, template, iframe, object, embed, svg, canvas, [hidden], [aria-hidden="true"]';

/** Throws what the parsers throw. */
export async function convertPage(request: ConvertRequest): Promise<Converted> {
  return request.kind === 'pdf' ? pdfText(request.bytes) : htmlMarkdown(decodeText(request.bytes, request.charset), request.url);
}

/** By byte-order mark, the server's word, the page's own word, else UTF-8. */
export function decodeText(bytes: Uint8Array, charset: string | undefined): string {
  const head = Buffer.from(bytes.subarray(0, 4_096)).toString('latin1');
  const declared = /<meta[^>]{1,200}charset\s*=\s*["']?\s*([\w-]{1,40})/i.exec(head)?.[1];
  const mark = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : bytes[0] === 0xef && bytes[1] === 0xbb ? 'utf-8' : undefined;
  for (const label of [mark, charset, declared]) {
    if (label === undefined) continue;
    try {
      return new TextDecoder(label).decode(bytes);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error; // a name that no decoder has: the next source may know better
    }
  }
  return new TextDecoder().decode(bytes);
}

interface PageElement { readonly tagName: string; remove(): void; setAttribute(name: string, value: string): void; getAttribute(name: string): string | null; readonly outerHTML: string; readonly textContent: string | null; readonly firstElementChild: PageElement | null; readonly nextElementSibling: PageElement | null; readonly parentElement: PageElement | null }
interface PageDocument { readonly body: PageElement | null; readonly documentElement: PageElement | null; querySelectorAll(selector: string): Iterable<PageElement> }

async function htmlMarkdown(html: string, url: string): Promise<Converted> {
  const [{ parseHTML }, { Readability }] = await Promise.all([import('linkedom'), import('@mozilla/readability')]);
  const page = /<html[\s>]/i.test(html) ? html : `<!doctype html><html><body>${html}</body></html>`;
  const document = (parseHTML(page) as unknown as { readonly document: PageDocument }).document; // cast: linkedom's types need the DOM library, which Node-side projects do not have
  for (const element of [...document.querySelectorAll(NOISE)]) element.remove();
  // A page without <html> has its title among the text.
  const titles = [...document.querySelectorAll('title')];
  const title = (titles[0]?.textContent ?? '').replace(/\s+/g, ' ').trim();
  for (const element of titles.filter(({ parentElement }) => parentElement?.tagName === 'BODY')) element.remove();
  const root = document.body ?? document.documentElement;
  if (root !== null && depthOf(root) > MAX_DEPTH) return { title, content: (root.textContent ?? '').trim() };
  absoluteLinks(document, url);
  const body = root?.outerHTML ?? '';
  let article: { readonly title?: string | null | undefined; readonly content?: string | null | undefined } | null = null;
  try {
    article = new Readability(document as never, { maxElemsToParse: MAX_ELEMENTS, keepClasses: true }).parse(); // cast: the parts of a Document that Readability uses, linkedom has
  } catch (error) {
    if (!(error instanceof Error)) throw error; // Readability refuses pages it cannot read; the whole page is shown instead
  }
  const main = await markdown(article?.content ?? '');
  const whole = main.length < SHORT_ARTICLE_CHARS ? await markdown(body) : '';
  const content = whole.length > main.length * 2 ? whole : main;
  const named = article?.title?.trim() ?? '';
  return { title: named === '' ? title : named, content };
}

/** Levels of elements beneath one; the walk ends once there are too many. */
function depthOf(root: PageElement): number {
  let deepest = 0;
  let depth = 0;
  let at: PageElement | null = root.firstElementChild;
  while (at !== null && deepest <= MAX_DEPTH) {
    depth += 1;
    deepest = Math.max(deepest, depth);
    let next: PageElement | null = at.firstElementChild;
    while (next === null && at !== null && at !== root) {
      depth -= 1;
      next = at.nextElementSibling;
      at = at.parentElement;
    }
    at = next;
  }
  return deepest;
}

function absoluteLinks(document: PageDocument, url: string): void {
  for (const [selector, attribute] of [['a[href]', 'href'], ['img[src]', 'src']] as const) {
    for (const element of [...document.querySelectorAll(selector)]) {
      const value = element.getAttribute(attribute) ?? '';
      if (/^(?:data|javascript|vbscript|blob):/i.test(value.trim())) {
        if (attribute === 'src') element.remove();
        else element.setAttribute(attribute, '');
      } else if (URL.canParse(value, url)) element.setAttribute(attribute, new URL(value, url).href);
    }
  }
}

/** Turndown is given text: its table rules need parts of the DOM that linkedom lacks, and its own parser has. */
async function markdown(html: string): Promise<string> {
  if (html === '') return '';
  const [{ default: TurndownService }, { gfm }] = await Promise.all([import('turndown'), import('turndown-plugin-gfm')]);
  const service = new TurndownService({ headingStyle: 'atx', codeBlockStyle: 'fenced', bulletListMarker: '-', emDelimiter: '*' });
  service.use(gfm);
  return service.turndown(html).replace(/\n{3,}/g, '\n\n').trim();
}

async function pdfText(bytes: Uint8Array): Promise<Converted> {
  const { extractText, getDocumentProxy, getMeta } = await import('unpdf');
  const pdf = await getDocumentProxy(new Uint8Array(bytes));
  const { info } = await getMeta(pdf);
  const { totalPages, text } = await extractText(pdf, { mergePages: false });
  const shown = text.slice(0, MAX_PDF_PAGES).map((page, index) => `[Page ${String(index + 1)} of ${String(totalPages)}]\n${page.trim()}`);
  const title = (info as Readonly<Record<string, unknown>>)['Title']; // cast: whatever the file says about itself
  return { title: typeof title === 'string' ? title : '', content: text.every((page) => page.trim() === '') ? '' : shown.join('\n\n') };
}
