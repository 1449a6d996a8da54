/** What went wrong with a call to an MCP server, and whose fault it is. */
import { describeThrown } from '../../tools/result.ts';
import { issueWords } from './listing.ts';

/** `call`: only this call failed. `connection`: nothing more can be asked over it. `expired`: the server has forgotten the session. `sign-in`: a person has to sign in. */
export type Failure = { readonly kind: 'call' | 'connection' | 'expired' | 'sign-in'; readonly message: string };

const CONNECTION_CODES: ReadonlySet<unknown> = new Set(['CONNECTION_CLOSED', 'NOT_CONNECTED', 'SEND_FAILED']);
const SIGN_IN_NAMES: ReadonlySet<unknown> = new Set(['SignInNeeded', 'UnauthorizedError', 'InsufficientScopeError']);
const EXPIRED = /\bsession\b.*\b(?:expired|not found|terminated|invalid)\b/i;

function field(error: unknown, name: 'code' | 'status' | 'cause'): unknown {
  return typeof error === 'object' && error !== null && name in error ? (error as Readonly<Record<string, unknown>>)[name] : undefined;
}

const UNREADABLE = /^Invalid result for (\S+): (\[.*\])$/s;

/** The SDK's list of everything that is wrong with an answer, as a sentence. */
function readable(message: string): string {
  const [, method, issues] = UNREADABLE.exec(message) ?? [];
  if (method === undefined || issues === undefined) return message;
  try {
    return `its answer to ${method} is not what MCP says (${issueWords(JSON.parse(issues) as Parameters<typeof issueWords>[0])})`; // cast: the SDK wrote its issues there
  } catch {
    // Cut off or in another form: it is shown as it is.
    return message;
  }
}

/** Reads the SDK's errors by their fields, so that the SDK itself need not be loaded for it. */
export function failureOf(error: unknown): Failure {
  const message = readable(error instanceof Error ? error.message : describeThrown(error));
  const code = field(error, 'code');
  const status = field(error, 'status');
  if (needsSignIn(error)) return { kind: 'sign-in', message };
  if (status === 404 || EXPIRED.test(message)) return { kind: 'expired', message };
  if (CONNECTION_CODES.has(code) || (error instanceof TypeError && message.startsWith('fetch failed'))) return { kind: 'connection', message };
  return { kind: 'call', message };
}

/** Also where the SDK has put the cause into an error of its own. */
export function needsSignIn(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return SIGN_IN_NAMES.has(error.name) || field(error, 'status') === 401 || (error.cause !== undefined && needsSignIn(error.cause));
}

/** For people: what was tried and how to mend the usual causes. */
export function describeConnectFailure(error: unknown, command: string | undefined): string {
  const code = field(error, 'code');
  const status = field(error, 'status');
  if (code === 'ENOENT' && command !== undefined) return `the program ${command} was not found${/\s/.test(command) ? ' (what follows the program belongs in args)' : ''}`;
  if (needsSignIn(error)) return 'it asks for a login that its headers in config.yaml do not give';
  if (status === 403) return 'it refuses this login (403)';
  const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : '';
  return `${readable(error instanceof Error ? error.message : describeThrown(error))}${cause}`;
}
