/** What is wrong with an address before anything is sent to it. */
import type { ConfigReader, ToolServices } from '../../context.ts';
import { findBlockedDomain } from './blocklist.ts';

const MAX_URL_CHARS = 8_192;
/** Query parameters that carry a credential by their name. */
const SECRET_PARAMETER = /^(?:api[-_]?key|apikey|access[-_]?token|auth[-_]?token|refresh[-_]?token|id[-_]?token|token|secret|client[-_]?secret|password|passwd|pwd|private[-_]?key|session[-_]?id|jwt|bearer|authorization)$/i;
/** Beginnings that the makers of well-known keys gave them, each followed by enough to be one. */
const SECRET_SHAPE = /(?:\bsk-|\bghp_|\bgho_|\bgithub_pat_|\bglpat-|\bxox[abpr]-|\bAKIA|\bAIza|\bhf_|\bnpm_|\btvly-|\bBSA)[A-Za-z0-9_-]{16,}|\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\./;

export interface RefusedUrl { readonly error: string; readonly blockedByPolicy: boolean }

/** The parsed address, or why it is refused. Names are not resolved here: addresses are judged when connecting. */
export async function checkUrl(text: string, services: Pick<ToolServices, 'redact'> & { readonly config: ConfigReader; readonly paths: { readonly home: string }; log: ToolServices['log'] }): Promise<URL | RefusedUrl> {
  const refuse = (error: string, blockedByPolicy = false): RefusedUrl => ({ error, blockedByPolicy });
  const trimmed = text.trim();
  if (trimmed === '') return refuse('The address is empty. Give one that starts with https://.');
  if (trimmed.length > MAX_URL_CHARS) return refuse(`The address has more than ${MAX_URL_CHARS.toLocaleString('en-US')} characters. Give a shorter one.`);
  const withScheme = /^[a-z][a-z0-9+.-]*:/i.test(trimmed) && !/^[\w.-]+\.[a-z]+:\d/i.test(trimmed) ? trimmed : `https://${trimmed}`;
  if (!URL.canParse(withScheme)) return refuse('This is no valid address. Give one such as https://example.org/page.');
  const url = new URL(withScheme);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return refuse(`Blocked: only http and https addresses can be read, not ${url.protocol} Use read_file for a file on this computer.`, true);
  if (url.username !== '' || url.password !== '') return refuse('Blocked: the address carries a user name or password. Leave out everything between // and @.', true);
  if (carriesSecret(url, services)) return refuse('Blocked: the query of this address carries what looks like a key, token or password. Leave it out; a page that needs one cannot be read with this tool.', true);
  const rule = await findBlockedDomain(url.hostname, services);
  if (rule !== undefined) return refuse(`Blocked: the website policy (${rule}) forbids ${url.hostname}. Ask the person, or use another source.`, true);
  return url;
}

function carriesSecret(url: URL, { redact }: Pick<ToolServices, 'redact'>): boolean {
  const parts = [...url.searchParams].flatMap(([name, value]) => [name, value]);
  const fragment = decoded(url.hash.slice(1));
  if ([...url.searchParams].some(([name, value]) => value.length >= 8 && SECRET_PARAMETER.test(name))) return true;
  return [...parts, fragment, decoded(url.pathname)].some((part) => SECRET_SHAPE.test(part) || (part.length >= 16 && redact(part) !== part));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a lone % is no escape: the text means itself
  }
}
