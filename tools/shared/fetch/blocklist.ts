/** `security.website_blocklist {enabled, domains, shared_files}`: sites that a person does not want visited. */
import { readFile, stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import type { ConfigReader, ToolServices } from '../../context.ts';
import { describeThrown } from '../../result.ts';

/** How long a shared file's content is believed (hermes-runtime 7.9). */
const CACHE_MS = 30_000;
const MAX_FILE_BYTES = 5 * 1024 * 1024;
const files = new Map<string, { readonly readAt: number; readonly domains: readonly string[] }>();

export interface BlocklistServices { readonly config: ConfigReader; readonly paths: { readonly home: string }; log: ToolServices['log'] }

/** Where the rule stands that forbids a host, in words; undefined = allowed. A list that cannot be read forbids nothing and is logged. */
export async function findBlockedDomain(hostname: string, services: BlocklistServices, now: () => number = Date.now): Promise<string | undefined> {
  const { config } = services;
  if (config.get('security.website_blocklist.enabled') !== true) return undefined;
  const host = hostname.toLowerCase().replace(/\.$/, '');
  const own = texts(config.get('security.website_blocklist.domains')).find((rule) => domainMatches(rule, host));
  if (own !== undefined) return `${own} in security.website_blocklist.domains`;
  for (const name of texts(config.get('security.website_blocklist.shared_files'))) {
    const path = isAbsolute(name) ? name : join(services.paths.home, name);
    const rule = (await domainsOf(path, services, now)).find((entry) => domainMatches(entry, host));
    if (rule !== undefined) return `${rule} in ${path}`;
  }
  return undefined;
}

/** `example.org` and `*.example.org` both mean the domain and all beneath it. Full addresses are taken by their host. */
export function domainMatches(rule: string, host: string): boolean {
  const domain = rule.trim().toLowerCase().replace(/^[a-z]+:\/\//, '').replace(/[/?#:].*$/, '').replace(/^\*\./, '').replace(/^www\./, '').replace(/\.$/, '');
  return domain !== '' && (host === domain || host.endsWith(`.${domain}`));
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((entry): entry is string => typeof entry === 'string') : [];
}

async function domainsOf(path: string, { log }: BlocklistServices, now: () => number): Promise<readonly string[]> {
  const known = files.get(path);
  if (known !== undefined && now() - known.readAt < CACHE_MS) return known.domains;
  let domains: readonly string[] = [];
  try {
    const { size } = await stat(path);
    if (size > MAX_FILE_BYTES) throw new Error(`larger than ${String(MAX_FILE_BYTES)} bytes`);
    domains = (await readFile(path, 'utf8')).split('\n').map((line) => line.replace(/#.*$/, '').trim()).filter((line) => line !== '');
  } catch (error) {
    log('warn', `The website blocklist ${path} could not be read and forbids nothing: ${describeThrown(error)}`);
  }
  files.set(path, { readAt: now(), domains });
  return domains;
}
