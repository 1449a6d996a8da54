/** Finds model servers that run on this machine. Every server is asked at the same time, and none for longer than the budget. */
import type { FoundServer } from '../../preload/contract/settings.ts';

/** Whole search, in ms: a person waits for it on the first screen (anchors B6). */
const BUDGET_MS = 800;

interface Candidate {
  readonly name: FoundServer['name'];
  readonly port: number;
  /** An endpoint that only this server has; undefined = the plain list is proof enough. */
  readonly proof: string | undefined;
  readonly list: string;
  models(body: unknown): string[];
}

function names(body: unknown, list: string, field: string): string[] {
  if (typeof body !== 'object' || body === null) return [];
  const entries: unknown = new Map(Object.entries(body)).get(list);
  if (!Array.isArray(entries)) return [];
  return entries.flatMap((entry: unknown) => {
    const name: unknown = typeof entry === 'object' && entry !== null ? new Map(Object.entries(entry)).get(field) : undefined;
    return typeof name === 'string' && name !== '' ? [name] : [];
  });
}

/** Model ids of an OpenAI-style `/models` body. */
export function listedModels(body: unknown): string[] {
  return names(body, 'data', 'id');
}

/** Default ports, as each project documents them. */
export const CANDIDATES: readonly Candidate[] = [
  { name: 'Ollama', port: 11_434, proof: undefined, list: '/api/tags', models: (body) => names(body, 'models', 'name') },
  { name: 'LM Studio', port: 1_234, proof: undefined, list: '/v1/models', models: listedModels },
  { name: 'llama.cpp', port: 8_080, proof: '/props', list: '/v1/models', models: listedModels },
  { name: 'vLLM', port: 8_000, proof: '/version', list: '/v1/models', models: listedModels },
];

async function getJson(url: string, signal: AbortSignal): Promise<unknown> {
  // Redirects are refused: a local server that sends us elsewhere is not one of these.
  const response = await fetch(url, { signal, redirect: 'error', headers: { accept: 'application/json' } });
  if (!response.ok) {
    await response.body?.cancel();
    return undefined;
  }
  return response.json();
}

async function ask(candidate: Candidate, port: number, signal: AbortSignal): Promise<FoundServer | undefined> {
  const origin = `http://127.0.0.1:${port}`;
  try {
    const [proof, listed] = await Promise.all([
      candidate.proof === undefined ? true : getJson(origin + candidate.proof, signal),
      getJson(origin + candidate.list, signal),
    ]);
    if (proof === undefined || listed === undefined) return undefined;
    return { name: candidate.name, baseUrl: `${origin}/v1`, models: candidate.models(listed) };
  } catch {
    // Refused, silent, slow or not JSON: that server is not here. Nothing to tell anybody.
    return undefined;
  }
}

/** `ports` replaces a default port by name, for servers (and tests) that listen elsewhere. Never throws; settles within the budget. */
export async function discoverServers(options: { readonly ports?: Readonly<Partial<Record<FoundServer['name'], number>>>; readonly budgetMs?: number } = {}): Promise<FoundServer[]> {
  const signal = AbortSignal.timeout(options.budgetMs ?? BUDGET_MS);
  const found = await Promise.all(CANDIDATES.map((candidate) => ask(candidate, options.ports?.[candidate.name] ?? candidate.port, signal)));
  return found.filter((server) => server !== undefined);
}

/** Models that an endpoint lists; throws what fetch throws, or an `Error` naming the status. */
export async function fetchModels(baseUrl: string, key: string | undefined, signal: AbortSignal): Promise<{ status: number; models: string[]; body: unknown }> {
  const response = await fetch(`${baseUrl.replace(/\/+$/, '')}/models`, {
    signal, headers: { accept: 'application/json', ...(key === undefined || key === '' ? {} : { authorization: `Bearer ${key}` }) },
  });
  const text = await response.text();
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    body = text;
  }
  return { status: response.status, models: listedModels(body), body };
}
