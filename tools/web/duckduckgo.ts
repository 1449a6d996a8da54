/** Reads the result page that DuckDuckGo gives to browsers without scripts. */
import { parseHTML } from 'linkedom';
import { type SearchHit, SearchRefusal } from './hits.ts';

interface Element { readonly textContent: string | null; getAttribute(name: string): string | null; querySelector(selector: string): Element | null; readonly classList: { contains(name: string): boolean } }
interface Page { querySelectorAll(selector: string): Iterable<Element>; querySelector(selector: string): Element | null }

/** Throws SearchRefusal for the page that asks whether a person is there. Advertisements are left out. */
export function readDuckDuckGo(html: string): SearchHit[] {
  const page = (parseHTML(html) as { readonly document: Page }).document; // cast: linkedom's types need the DOM library, which Node-side projects do not have
  if (page.querySelector('.anomaly-modal__title, #challenge-form') !== null) {
    throw new SearchRefusal('DuckDuckGo takes this for too many requests by a program. Wait some minutes, or set up a service with a key (BRAVE_SEARCH_API_KEY, TAVILY_API_KEY, EXA_API_KEY or SEARXNG_URL).');
  }
  const found: SearchHit[] = [];
  for (const result of page.querySelectorAll('.result')) {
    const link = result.querySelector('a.result__a');
    const url = targetOf(link?.getAttribute('href') ?? '');
    if (link === null || url === undefined || result.classList.contains('result--ad')) continue;
    found.push({ title: link.textContent ?? url, url, description: result.querySelector('.result__snippet')?.textContent ?? '' });
  }
  if (found.length === 0 && page.querySelector('.no-results, .results, #links') === null) {
    throw new SearchRefusal('DuckDuckGo answered with a page that holds no list of results. Try again later, or set up a service with a key (BRAVE_SEARCH_API_KEY, TAVILY_API_KEY, EXA_API_KEY or SEARXNG_URL).');
  }
  return found;
}

/** Links lead through a counting page that carries the real address in `uddg`. */
function targetOf(href: string): string | undefined {
  const base = 'https://duckduckgo.com';
  if (href === '' || !URL.canParse(href, base)) return undefined;
  const url = new URL(href, base);
  if (url.hostname === 'duckduckgo.com' && url.pathname === '/y.js') return undefined;
  return url.searchParams.get('uddg') ?? url.href;
}
