/** Which search service is asked: the one the configuration names, else the first that has a key, else the one that needs none. */

export type BackendName = 'brave' | 'tavily' | 'exa' | 'searxng' | 'duckduckgo';

interface BackendFacts {
  /** Variable with the key (the address, for SearXNG). Absent: none is needed. */
  readonly variable?: string;
  /** Where its API is, unless `web.<name>.base_url` says otherwise. */
  readonly baseUrl?: string;
  readonly title: string;
}

/** In the order in which keys are looked for. */
export const BACKENDS: Readonly<Record<BackendName, BackendFacts>> = {
  brave: { title: 'Brave Search', variable: 'BRAVE_SEARCH_API_KEY', baseUrl: 'https://api.search.brave.com' },
  tavily: { title: 'Tavily', variable: 'TAVILY_API_KEY', baseUrl: 'https://api.tavily.com' },
  exa: { title: 'Exa', variable: 'EXA_API_KEY', baseUrl: 'https://api.exa.ai' },
  searxng: { title: 'SearXNG', variable: 'SEARXNG_URL' },
  duckduckgo: { title: 'DuckDuckGo', baseUrl: 'https://html.duckduckgo.com' },
};
const NAMES = Object.keys(BACKENDS) as readonly BackendName[]; // cast: the keys of the record above
const OTHER_NAMES: ReadonlyMap<string, BackendName> = new Map([['ddg', 'duckduckgo'], ['ddgs', 'duckduckgo'], ['brave-free', 'brave'], ['brave_search', 'brave']]);

export interface Backend { readonly name: BackendName; readonly title: string; readonly baseUrl: string; readonly key: string; readonly variable: string | undefined }
export interface NoBackend { readonly error: string; readonly fix: string; readonly step: 'missing-variable' | 'check-failed' }

/** Reads `web.search_backend`, `web.backend`, `web.<name>.base_url` and the key variables. */
export function chosenBackend(config: (path: string) => unknown, env: (name: string) => string | undefined): Backend | NoBackend {
  const wanted = text(config('web.search_backend')) ?? text(config('web.backend'));
  if (wanted === undefined) {
    for (const name of NAMES) {
      const backend = backendFor(name, config, env);
      if (!('error' in backend)) return backend;
    }
  }
  const lower = wanted?.toLowerCase() ?? 'duckduckgo';
  const name = OTHER_NAMES.get(lower) ?? NAMES.find((candidate) => candidate === lower);
  if (name !== undefined) return backendFor(name, config, env);
  return { step: 'check-failed', error: `web.backend in config.yaml names '${wanted ?? ''}', which is no search service known here.`, fix: `Use one of ${NAMES.join(', ')}, or remove the line.` };
}

function backendFor(name: BackendName, config: (path: string) => unknown, env: (name: string) => string | undefined): Backend | NoBackend {
  const { title, variable, baseUrl } = BACKENDS[name];
  const value = variable === undefined ? '' : text(env(variable));
  const address = text(config(`web.${name}.base_url`)) ?? (name === 'searxng' ? value : undefined) ?? baseUrl;
  if (address === undefined || (value === undefined && name !== 'searxng')) {
    const fix = name === 'searxng' ? 'Put the address of an instance into SEARXNG_URL in the .env of the home.' : `Put ${variable ?? ''}=… into the .env of the home, or name another web.backend in config.yaml.`;
    return { step: 'missing-variable', error: `${title} is not set up: ${variable ?? ''} is missing.`, fix };
  }
  if (!URL.canParse(address) || !/^https?:/i.test(address)) {
    return { step: 'check-failed', error: `The address of ${title} is not valid: '${address}'.`, fix: `Correct ${name === 'searxng' ? 'SEARXNG_URL or ' : ''}web.${name}.base_url; it starts with http:// or https://.` };
  }
  return { name, title, baseUrl: address.replace(/\/+$/, ''), key: name === 'searxng' ? '' : value ?? '', variable };
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}
