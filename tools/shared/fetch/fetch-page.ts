/** Fetches one page or picture with every hop judged, within limits of size and time. */
import type { ReadableStream } from 'node:stream/web';
import { type Agent, fetch } from 'undici';
import { describeThrown } from '../../result.ts';
import { BlockedAddressError } from './transport.ts';
import type { RefusedUrl } from './url-rules.ts';

const MAX_REDIRECTS = 10;
/** For one page with all its redirects. */
const PAGE_MS = 45_000;
/** Decoded bytes of a body; the wire has a limit of its own. */
export const MAX_BODY_BYTES = 10 * 1024 * 1024;
const HEADERS = { 'user-agent': 'Mozilla/5.0 (compatible; Talaria/0.1)', 'accept-language': 'en;q=0.9,*;q=0.5' };

/** What is fetched: its name in messages, and what is accepted. */
export interface Wanted { readonly what: 'page' | 'image'; readonly accept: string; readonly maxBytes: number }
const PAGE: Wanted = { what: 'page', accept: 'text/html,application/xhtml+xml,application/pdf;q=0.9,text/*;q=0.8,*/*;q=0.5', maxBytes: MAX_BODY_BYTES };

export interface FetchedPage {
  /** After all redirects. */
  readonly url: string;
  /** Lower case, without parameters; empty when the server names none. */
  readonly mediaType: string;
  /** From the header, lower case; undefined when it names none. */
  readonly charset: string | undefined;
  readonly bytes: Uint8Array;
}
export interface FailedPage { readonly error: string; readonly blockedByPolicy: boolean }

/** `check` is asked about every address, that of each redirect included. Never rejects for what a server or network does. */
export async function fetchPage(start: URL, agent: Agent, check: (address: string) => Promise<URL | RefusedUrl>, signal: AbortSignal, wanted: Wanted = PAGE): Promise<FetchedPage | FailedPage> {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(PAGE_MS)]);
  let url = start;
  try {
    for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
      const response = await fetch(url, { dispatcher: agent, redirect: 'manual', headers: { ...HEADERS, accept: wanted.accept }, signal: deadline });
      const location = response.status >= 300 && response.status < 400 ? response.headers.get('location') : null;
      if (location === null) {
        if (!response.ok) {
          await response.body?.cancel();
          return failed(statusWords(response.status, wanted.what));
        }
        return { url: url.href, ...contentType(response.headers.get('content-type')), bytes: await readBody(response.body as ReadableStream<Uint8Array> | null, wanted.maxBytes) }; // cast: undici's types leave the pieces open; a body is made of bytes
      }
      await response.body?.cancel();
      // Headers come one character a byte; sites that write other letters into the address mean UTF-8.
      const target = Buffer.from(location, 'latin1').toString('utf8');
      if (!URL.canParse(target, url)) return failed(`The ${wanted.what} redirects to an address that is not valid.`);
      const next = await check(new URL(target, url).href);
      if (!(next instanceof URL)) return { error: `The ${wanted.what} redirects elsewhere. ${next.error}`, blockedByPolicy: next.blockedByPolicy };
      url = next;
    }
    return failed(`The ${wanted.what} redirects more than ${String(MAX_REDIRECTS)} times. Use the address it should lead to.`);
  } catch (error) {
    if (signal.aborted) throw error;
    return explain(error, url, wanted);
  }
}

const failed = (error: string): FailedPage => ({ error, blockedByPolicy: false });

class TooLargeError extends Error {}

async function readBody(body: ReadableStream<Uint8Array> | null, maxBytes: number): Promise<Uint8Array> {
  if (body === null) return new Uint8Array();
  const pieces: Uint8Array[] = [];
  let total = 0;
  for await (const piece of body) {
    total += piece.length;
    if (total > maxBytes) throw new TooLargeError();
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function contentType(header: string | null): Pick<FetchedPage, 'mediaType' | 'charset'> {
  const [type = '', ...parameters] = (header ?? '').split(';').map((part) => part.trim().toLowerCase());
  return { mediaType: type, charset: parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length).replaceAll('"', '') };
}

function statusWords(status: number, what: Wanted['what']): string {
  if (status === 401 || status === 403) return `HTTP ${String(status)}: the site does not let this ${what} be read without signing in or by a program. Try another source, or the browser tools.`;
  if (status === 404 || status === 410) return `HTTP ${String(status)}: there is no such ${what}. Check the address, or search for it with web_search.`;
  if (status === 429) return 'HTTP 429: the site asks for fewer requests. Try again later, or use another source.';
  if (status >= 500) return `HTTP ${String(status)}: the site has a fault of its own. Try again later, or use another source.`;
  return `HTTP ${String(status)}: the site did not answer with ${what === 'page' ? 'a page' : 'an image'}. Check the address.`;
}

/** Causes of a failed request, outermost first. */
function* causes(error: unknown): Generator<Error & { readonly code?: unknown }> {
  if (!(error instanceof Error)) return;
  yield error;
  if (error instanceof AggregateError) for (const inner of error.errors) yield* causes(inner);
  yield* causes(error.cause);
}

const CODES: Readonly<Record<string, string>> = {
  ENOTFOUND: 'The name of the site is not known. Check the spelling of the address.',
  EAI_AGAIN: 'The name of the site could not be looked up: the network or its name server does not answer. Check the connection.',
  ECONNREFUSED: 'The site refuses connections. Check address and port.',
  UND_ERR_CONNECT_TIMEOUT: 'The site did not answer in time. Try again later, or use another source.',
  UND_ERR_HEADERS_TIMEOUT: 'The site did not answer in time. Try again later, or use another source.',
  UND_ERR_BODY_TIMEOUT: 'The site stopped in the middle of the page. Try again later, or use another source.',
};

function explain(error: unknown, url: URL, { what, maxBytes }: Wanted): FailedPage {
  for (const cause of causes(error)) {
    if (cause instanceof BlockedAddressError) return { error: cause.message, blockedByPolicy: true };
    if (cause instanceof TooLargeError || cause.code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') {
      return failed(`The ${what} is larger than ${String(maxBytes / 1024 / 1024)} MiB. Download it in the terminal and ${what === 'page' ? 'read the part you need' : 'make it smaller there'}.`);
    }
    if (cause.name === 'TimeoutError') return failed(`The ${what} did not arrive within ${String(PAGE_MS / 1_000)} s. Try again later, or use another source.`);
    const words = typeof cause.code === 'string' ? CODES[cause.code] : undefined;
    if (words !== undefined) return failed(words);
  }
  for (const { name = '', code } of causes(error)) {
    if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' || name === 'ResponseContentLengthMismatchError') return failed(`Only a part of the ${what} came: ${url.host} broke the answer off. Try again, or use another source.`);
    if (typeof code === 'string' && code.startsWith('Z_')) return failed(`${url.host} sent the ${what} packed in a way that cannot be unpacked. Use another source.`);
  }
  const inner = [...causes(error)].at(-1);
  return failed(`${url.host} could not be reached: ${describeThrown(inner ?? error)}. Check the address, or use another source.`);
}
