/** Where Home Assistant is, and one request to its REST interface. */
import { Agent, fetch } from 'undici';
import { describeThrown } from '../result.ts';

/** Of hermes-runtime 7.8: reading may take 15 s, calling a service 10 s. */
const READ_MS = 15_000;
const CALL_MS = 10_000;
const CONNECT_MS = 5_000;
/** A home of 5,000 entities with rich attributes is about 5 MB. */
const MAX_ANSWER_BYTES = 20 * 1024 * 1024;
const DEFAULT_URL = 'http://homeassistant.local:8123';

export interface Home { readonly url: string; readonly token: string }
interface NoHome { readonly error: string; readonly fix: string; readonly step: 'missing-variable' | 'check-failed' }

/** Reads HASS_TOKEN and HASS_URL (else `homeassistant.url`, else Home Assistant's own name on the local network). */
export function homeAssistant(config: (path: string) => unknown, env: (name: string) => string | undefined): Home | NoHome {
  const token = env('HASS_TOKEN')?.trim() ?? '';
  if (token === '') {
    return {
      step: 'missing-variable', error: 'Home Assistant is not set up: HASS_TOKEN is missing.',
      fix: 'Make a long-lived access token in Home Assistant (your profile › Security) and put HASS_TOKEN=… into the .env of the home.',
    };
  }
  const configured = config('homeassistant.url');
  const url = env('HASS_URL')?.trim() || (typeof configured === 'string' && configured.trim()) || DEFAULT_URL;
  if (!URL.canParse(url) || !/^https?:/i.test(url)) {
    return { step: 'check-failed', error: `The address of Home Assistant is not valid: '${url}'.`, fix: 'Correct HASS_URL in the .env of the home; it starts with http:// or https://.' };
  }
  return { url: url.replace(/\/+$/, ''), token };
}

/** What went wrong, in words with a next step. */
export class HomeAssistantError extends Error {
  readonly status: number | undefined;
  constructor(message: string, status?: number) {
    super(message);
    this.name = 'HomeAssistantError';
    this.status = status;
  }
}

/**
 * GET, or POST where `body` is given. `path` starts with `/api/`. Returns the parsed JSON; throws HomeAssistantError for every
 * failure but an aborted `signal`, whose reason it throws.
 */
export async function ask(home: Home, path: string, signal: AbortSignal, body?: Readonly<Record<string, unknown>>): Promise<unknown> {
  const limit = body === undefined ? READ_MS : CALL_MS;
  const dispatcher = new Agent({ connect: { timeout: CONNECT_MS }, maxResponseSize: MAX_ANSWER_BYTES });
  try {
    const response = await fetch(home.url + path, {
      dispatcher, method: body === undefined ? 'GET' : 'POST', signal: AbortSignal.any([signal, AbortSignal.timeout(limit)]),
      // A redirect would carry the token to wherever it leads.
      redirect: 'manual', headers: { authorization: `Bearer ${home.token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new HomeAssistantError(statusWords(home, response.status, text), response.status);
    return parse(home, text);
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof HomeAssistantError ? error : new HomeAssistantError(unreachable(home, error, limit));
  } finally {
    await dispatcher.destroy();
  }
}

function parse({ url }: Home, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new HomeAssistantError(`What answers at ${url} is not Home Assistant: its answer is no JSON. Check HASS_URL.`);
  }
}

/** The `message` of Home Assistant's own error body, else the text itself, in one short line. */
function reason(text: string): string {
  const message = /"message"\s*:\s*"((?:[^"\\]|\\.)*)"/.exec(text)?.[1] ?? text;
  return message.replace(/\s+/g, ' ').trim().slice(0, 300);
}

function statusWords({ url }: Home, status: number, text: string): string {
  const where = `Home Assistant at ${url} answered HTTP ${String(status)}`;
  if (status === 401 || status === 403) return `${where}: HASS_TOKEN is not accepted. Ask the person to make a new long-lived access token and put it into the .env of the home.`;
  if (status === 404) return `${where}: there is nothing of that name. Look it up with ha_list_entities or ha_list_services.`;
  if (status === 400) return `${where}: ${reason(text) || 'it does not take these fields'}. Look up the fields with ha_list_services.`;
  if (status >= 300 && status < 400) return `${where}: it redirects. Set HASS_URL to the address it leads to.`;
  return `${where}: ${reason(text) || 'it has a fault of its own'}. Its log (Settings › System › Logs) says more; try again later.`;
}

export function unreachable({ url }: Home, error: unknown, limit: number): string {
  if (error instanceof Error && error.name === 'TimeoutError') return `Home Assistant at ${url} did not answer within ${String(limit / 1_000)} s. What was asked may still happen: read the state before trying again.`;
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return `Home Assistant could not be reached at ${url}: ${describeThrown(cause)}. Check that it runs and that HASS_URL is right.`;
}
