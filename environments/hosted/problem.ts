/** What went wrong at a hosted service, in words: the service, what was being done, and what to do about it. */
import { EnvironmentError } from '../base.ts';

/** The sandbox is not there any more: it was stopped, removed, or its time was up. */
export class SandboxGone extends EnvironmentError {
  constructor(service: string, cause?: unknown) {
    super('unreachable', `the ${service} sandbox is gone`, { cause, hint: 'The next command gets a new one.' });
  }
}

/** `silent`: a connection is there, and no answer came; `broken`: the answer was an error of the service itself. */
export type ProblemKind = 'credentials' | 'limit' | 'refused' | 'broken' | 'silent' | 'unreachable' | 'gone';

export interface Service {
  /** As it is called in messages: Modal, Daytona, Vercel. */
  readonly name: string;
  /** Where its credentials are set, for the hint. */
  readonly credentials: string;
  /** What kind of failure an error of its SDK is. */
  readonly classify: (error: unknown) => ProblemKind;
}

function said(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replace(/\s+/g, ' ').trim().slice(0, 300);
}

/** `doing`: "the sandbox could not be made". An `EnvironmentError` is passed on as it is. */
export function problem(service: Service, doing: string, error: unknown): EnvironmentError {
  if (error instanceof EnvironmentError) {
    // Not `timeout`: that is a command's own. And not `unreachable`, which would be tried again and again while a person waits.
    return error.code === 'timeout' ? new EnvironmentError('failed', `${doing}: ${error.message}`, { cause: error, hint: `Try again in a moment; ${service.name} may have a disturbance.` }) : error;
  }
  const options = { cause: error };
  switch (service.classify(error)) {
    case 'credentials': return new EnvironmentError('denied', `${doing}: ${service.name} refused the credentials (${said(error)})`, { ...options, hint: `Check ${service.credentials}.` });
    case 'limit': return new EnvironmentError('failed', `${doing}: a limit of the ${service.name} account is reached (${said(error)})`, { ...options, hint: `Look at the usage and limits of the account at ${service.name}.` });
    case 'unreachable': return new EnvironmentError('unreachable', `${doing}: ${service.name} cannot be reached (${said(error)})`, { ...options, hint: 'Check the connection to the internet.' });
    case 'silent': return new EnvironmentError('failed', `${doing}: ${service.name} did not answer in time`, { ...options, hint: `Try again in a moment; ${service.name} may have a disturbance.` });
    case 'broken': return new EnvironmentError('unreachable', `${doing}: ${service.name} answered with an internal error (${said(error)})`, { ...options, hint: `Try again in a moment; ${service.name} may have a disturbance.` });
    case 'gone': return new SandboxGone(service.name, error);
    case 'refused': return new EnvironmentError('failed', `${doing}: ${said(error)}`, options);
  }
}

/** Of a command that could not be started, as far as can be told: where an answer is missing, it may run all the same, and must not be tried again. */
export function startProblem(service: Service, error: unknown): EnvironmentError {
  const found = problem(service, `the command could not be started in the ${service.name} sandbox`, error);
  if (found instanceof SandboxGone || found.code !== 'unreachable') return found;
  return new EnvironmentError('failed', `${found.message}; it may have been started there all the same`, { cause: error, ...(found.hint === undefined ? {} : { hint: found.hint }) });
}

/** True when a service could not keep what it was handed, for want of room in the sandbox. */
export function isNoSpace(error: unknown): boolean {
  const body: unknown = error instanceof Error ? Reflect.get(error, 'json') : undefined; // of Vercel's SDK
  return /no space left|ENOSPC/i.test(`${said(error)} ${JSON.stringify([body])}`);
}

export function noSpaceIn({ name }: Service): string {
  return `no space left on the disk of the ${name} sandbox`;
}

/** By HTTP status. */
export function kindOfStatus(status: number): ProblemKind {
  if (status === 401 || status === 403) return 'credentials';
  if (status === 402 || status === 429) return 'limit';
  if (status === 404 || status === 410) return 'gone';
  return status >= 500 || status === 408 ? 'broken' : 'refused';
}

/** By Node's error codes, looked for through the causes: true when the network did not let it through. */
export function isNetworkError(error: unknown): boolean {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    const code = 'code' in at ? at.code : undefined;
    if (typeof code === 'string' && /^(?:E(?:CONN|HOST|NET|PIPE|TIMEDOUT|AI_AGAIN|NOTFOUND)|UND_ERR)/.test(code)) return true;
    if (/fetch failed|socket hang up|terminated|network/i.test(at.message)) return true;
  }
  return false;
}
