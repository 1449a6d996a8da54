/** Cleans what a person types as a server's address. Pure. */

export type Address = { readonly kind: 'ok'; readonly baseUrl: string; readonly note: string | undefined } | { readonly kind: 'bad'; readonly message: string };

/** Paths that belong to single calls; the base ends before them. */
const CALL_PATHS = /\/(chat\/completions|completions|models|responses)\/?$/;

/** Adds the scheme where it is missing and takes off a call's own path. `note` says what was changed. */
export function readAddress(typed: string): Address {
  const text = typed.trim();
  if (text === '') return { kind: 'bad', message: 'Enter the address of a server, for example http://127.0.0.1:11434/v1.' };
  /** Browsers differ on what stands in a host's name; Chromium would take a blank. */
  if (/\s/.test(text)) return { kind: 'bad', message: `“${text}” is not a web address.` };
  const withScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `${isLocal(text) ? 'http' : 'https'}://${text}`;
  if (!URL.canParse(withScheme)) return { kind: 'bad', message: `“${text}” is not a web address.` };
  const url = new URL(withScheme);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return { kind: 'bad', message: `Only http and https addresses work, not ${url.protocol.slice(0, -1)}.` };
  if (url.username !== '' || url.password !== '') return { kind: 'bad', message: 'Leave the key out of the address and enter it below: addresses are shown, keys are not.' };
  const path = url.pathname.replace(CALL_PATHS, '').replace(/\/+$/, '');
  const baseUrl = `${url.origin}${path}`;
  return { kind: 'ok', baseUrl, note: baseUrl === text.replace(/\/+$/, '') ? undefined : `Uses ${baseUrl}` };
}

/** Most servers answer below `/v1`: worth a try where the bare address led nowhere. Undefined for an address with a path of its own. */
export function withVersion(baseUrl: string): string | undefined {
  const { origin, pathname } = new URL(baseUrl);
  return pathname === '/' ? `${origin}/v1` : undefined;
}

/** True when a key sent there would cross a network unencrypted. */
export function sendsKeyInClear(baseUrl: string): boolean {
  const url = new URL(baseUrl);
  return url.protocol === 'http:' && !isLocal(url.host);
}

function isLocal(host: string): boolean {
  return /^(localhost|127(?:\.\d+){3}|\[::1\])(?=[:/]|$)/i.test(host);
}
