/** How each search service is asked and what its answer means. No sending here. */
import type { Backend, BackendName } from './backends.ts';
import { type SearchHit, SearchRefusal } from './hits.ts';

export interface SearchProtocol {
  /** Most results of one request. */
  readonly most: number;
  request(backend: Backend, query: string, count: number): { readonly url: string; readonly method: 'GET' | 'POST'; readonly headers: Readonly<Record<string, string>>; readonly body?: string };
  /** Throws SearchRefusal. */
  read(answer: string): readonly SearchHit[] | Promise<readonly SearchHit[]>;
}

const JSON_TYPE = { accept: 'application/json' };
const JSON_BODY = { ...JSON_TYPE, 'content-type': 'application/json' };
/** Results of one page of DuckDuckGo's page without scripts; further pages need tokens from the page. */
const DUCKDUCKGO_PAGE = 30;

export const PROTOCOLS: Readonly<Record<BackendName, SearchProtocol>> = {
  brave: {
    most: 20,
    request: ({ baseUrl, key }, query, count) => ({
      url: `${baseUrl}/res/v1/web/search?${new URLSearchParams({ q: query, count: String(count), text_decorations: 'false' }).toString()}`,
      method: 'GET', headers: { ...JSON_TYPE, 'x-subscription-token': key },
    }),
    read: (answer) => hits(field(field(parse(answer, 'Brave Search'), 'web'), 'results'), 'description'),
  },
  tavily: {
    most: 20,
    request: ({ baseUrl, key }, query, count) => ({
      url: `${baseUrl}/search`, method: 'POST', headers: { ...JSON_BODY, authorization: `Bearer ${key}` },
      body: JSON.stringify({ query, max_results: count, include_answer: false, include_raw_content: false }),
    }),
    read: (answer) => hits(field(parse(answer, 'Tavily'), 'results'), 'content'),
  },
  exa: {
    most: 100,
    request: ({ baseUrl, key }, query, count) => ({
      url: `${baseUrl}/search`, method: 'POST', headers: { ...JSON_BODY, 'x-api-key': key },
      body: JSON.stringify({ query, numResults: count, contents: { highlights: true } }),
    }),
    read: (answer) => hits(field(parse(answer, 'Exa'), 'results'), 'highlights'),
  },
  searxng: {
    most: 100,
    request: ({ baseUrl }, query) => ({ url: `${baseUrl}/search?${new URLSearchParams({ q: query, format: 'json' }).toString()}`, method: 'GET', headers: JSON_TYPE }),
    read: (answer) => hits(field(parse(answer, 'SearXNG'), 'results'), 'content'),
  },
  duckduckgo: {
    most: DUCKDUCKGO_PAGE,
    request: ({ baseUrl }, query) => ({
      url: `${baseUrl}/html/?${new URLSearchParams({ q: query }).toString()}`, method: 'GET',
      headers: { accept: 'text/html', 'user-agent': 'Mozilla/5.0 (compatible; Talaria/0.1)' },
    }),
    read: async (answer) => (await import('./duckduckgo.ts')).readDuckDuckGo(answer),
  },
};

function parse(answer: string, title: string): unknown {
  try {
    return JSON.parse(answer) as unknown; // cast: looked at member by member below
  } catch {
    throw new SearchRefusal(`${title} answered with something that is no JSON. Check its base_url in config.yaml, or name another web.backend there.`);
  }
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined; // cast: an object, read field by field
}

function hits(list: unknown, description: string): SearchHit[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((entry: unknown) => {
    const url = field(entry, 'url');
    if (typeof url !== 'string') return [];
    const title = field(entry, 'title');
    return [{ url, title: typeof title === 'string' && title !== '' ? title : url, description: words(field(entry, description)) }];
  });
}

function words(value: unknown): string {
  if (typeof value === 'string') return value;
  return Array.isArray(value) ? value.filter((part) => typeof part === 'string').join(' … ') : '';
}
