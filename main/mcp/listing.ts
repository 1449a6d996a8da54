/** A server's tools, also where some of what it lists cannot be used: one wrong tool must not cost the others. */
import type { Client, RequestOptions, Tool } from '@modelcontextprotocol/client';
import { z } from 'zod';

/** Pages of a list that are read (hermes-runtime 7.13). */
export const MAX_PAGES = 50;

export interface Listing {
  readonly tools: readonly Tool[];
  /** What was left out and why, one sentence each. */
  readonly problems: readonly string[];
}

const Page = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().optional() });

const codeOf = (error: unknown): unknown => (typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined);

/** Rejects as the SDK does when nothing at all can be listed. */
export async function listTools(client: Client, options: RequestOptions): Promise<Listing> {
  try {
    return { tools: (await client.listTools(undefined, { ...options, cacheMode: 'refresh' })).tools, problems: [] };
  } catch (error) {
    if (!['INVALID_RESULT', 'LIST_PAGINATION_EXCEEDED'].includes(String(codeOf(error)))) throw error;
    return listEach(client, options);
  }
}

async function listEach(client: Client, options: RequestOptions): Promise<Listing> {
  const { specTypeSchemas } = await import('@modelcontextprotocol/client');
  const tools: Tool[] = [];
  const problems: string[] = [];
  let cursor: string | undefined;
  for (let page = 0; page === 0 || cursor !== undefined; page += 1) {
    if (page === MAX_PAGES) {
      problems.push(`It lists its tools on more than ${String(MAX_PAGES)} pages; those on the others are left out.`);
      break;
    }
    const found = await client.request({ method: 'tools/list', params: cursor === undefined ? {} : { cursor } }, Page, options);
    for (const [index, item] of found.tools.entries()) {
      const checked = specTypeSchemas.Tool['~standard'].validate(mended(item));
      if (checked instanceof Promise || checked.issues !== undefined) problems.push(`Its tool ${nameOf(item, index)} is left out: ${checked instanceof Promise ? 'it cannot be checked' : issueWords(checked.issues)}.`);
      else tools.push(checked.value);
    }
    cursor = found.nextCursor;
  }
  return { tools, problems };
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null && !Array.isArray(value);

/** What many servers leave out and nobody can misunderstand: null for nothing, and a schema without its type. */
function mended(item: unknown): unknown {
  if (!isRecord(item)) return item;
  const given = Object.fromEntries(Object.entries(item).filter(([, value]) => value !== null));
  const schema = given['inputSchema'] ?? {};
  return { ...given, inputSchema: isRecord(schema) && schema['type'] === undefined ? { ...schema, type: 'object' } : schema };
}

function nameOf(item: unknown, index: number): string {
  return isRecord(item) && typeof item['name'] === 'string' ? `'${item['name']}'` : `number ${String(index + 1)}`;
}

interface Issue { readonly message: string; readonly path?: readonly unknown[] | undefined }

const SHOWN_ISSUES = 3;

/** `inputSchema.type: Invalid input: expected "object"`. */
export function issueWords(issues: readonly Issue[]): string {
  const words = issues.slice(0, SHOWN_ISSUES).map(({ path, message }) => {
    const where = (path ?? []).map((part) => (isRecord(part) && 'key' in part ? String(part['key']) : String(part))).join('.');
    return where === '' ? message : `${where}: ${message}`;
  });
  return [...words, ...(issues.length > SHOWN_ISSUES ? [`and ${String(issues.length - SHOWN_ISSUES)} more`] : [])].join('; ');
}
