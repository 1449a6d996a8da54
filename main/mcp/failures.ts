/** What went wrong with a call to an MCP server, and whose fault it is. */
import { describeThrown } from '../../tools/result.ts';

/** `call`: only this call failed. `connection`: nothing more can be asked over it. `expired`: the server has forgotten the session. */
export type Failure = { readonly kind: 'timeout' | 'call' | 'connection' | 'expired'; readonly message: string };

const CONNECTION_CODES: ReadonlySet<unknown> = new Set(['CONNECTION_CLOSED', 'NOT_CONNECTED', 'SEND_FAILED']);
const EXPIRED = /\bsession\b.*\b(?:expired|not found|terminated|invalid)\b/i;

/** Reads the SDK's errors by their fields, so that the SDK itself need not be loaded for it. */
export function failureOf(error: unknown): Failure {
  const message = error instanceof Error ? error.message : describeThrown(error);
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  const status = typeof error === 'object' && error !== null && 'status' in error ? error.status : undefined;
  if (code === 'REQUEST_TIMEOUT') return { kind: 'timeout', message };
  if (status === 404 || EXPIRED.test(message)) return { kind: 'expired', message };
  if (CONNECTION_CODES.has(code) || (error instanceof TypeError && message.startsWith('fetch failed'))) return { kind: 'connection', message };
  return { kind: 'call', message };
}

/** For people: what was tried and how to mend the usual causes. */
export function describeConnectFailure(error: unknown, command: string | undefined): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  const status = typeof error === 'object' && error !== null && 'status' in error ? error.status : undefined;
  if (code === 'ENOENT' && command !== undefined) return `the program ${command} was not found`;
  if (status === 401 || status === 403) return `it asks for a login (${String(status)}); put a token into its headers`;
  const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : '';
  return `${error instanceof Error ? error.message : describeThrown(error)}${cause}`;
}
