/** Modal's SDK, loaded when it is first used, and what its errors mean. */
import type * as ModalSdk from 'modal';
import type { ModalClient } from 'modal';
import { EnvironmentError } from '../base.ts';
import { isNetworkError, type ProblemKind, type Service } from '../hosted.ts';

type Sdk = typeof ModalSdk;

/** Status codes of gRPC; the SDK passes its errors on with `code`. */
const STATUS = { cancelled: 1, unknown: 2, invalid: 3, deadline: 4, notFound: 5, denied: 7, exhausted: 8, precondition: 9, aborted: 10, internal: 13, unavailable: 14, unauthenticated: 16 } as const;

export async function loadModal(): Promise<Sdk> {
  try {
    return await import('modal');
  } catch (cause) {
    throw new EnvironmentError('missing', 'the Modal SDK is not installed', { cause, hint: 'Install Talaria with its optional dependencies: npm install modal@0.11.1' });
  }
}

function classify(error: unknown): ProblemKind {
  if (!(error instanceof Error)) return 'refused';
  const code = 'code' in error ? error.code : undefined;
  switch (code) {
    case STATUS.unauthenticated: case STATUS.denied: return 'credentials';
    case STATUS.exhausted: return 'limit';
    case STATUS.notFound: return 'gone';
    case STATUS.internal: case STATUS.unknown: return 'broken';
    case STATUS.deadline: return 'silent';
    case STATUS.unavailable: case STATUS.cancelled: case STATUS.aborted: return 'unreachable';
    case STATUS.precondition: return 'gone';
    default: break;
  }
  if (error.name === 'NotFoundError' || error.name === 'ConflictError' || error.name === 'SandboxTimeoutError') return 'gone';
  if (error.name === 'ResourceExhaustedError') return 'limit';
  if (error.name === 'TimeoutError') return 'silent';
  if (error.name === 'ClientClosedError' || isNetworkError(error)) return 'unreachable';
  return /missing .*(?:token|credential)|not authenticated/i.test(error.message) ? 'credentials' : 'refused';
}

export const MODAL: Service = { name: 'Modal', credentials: 'MODAL_TOKEN_ID and MODAL_TOKEN_SECRET, or ~/.modal.toml', classify };

/** The SDK would print warnings on the console of whoever hosts us. */
const quiet = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/** Absent credentials: those of `~/.modal.toml`. */
export function connectModal(sdk: Sdk, credentials: { readonly tokenId: string; readonly tokenSecret: string } | undefined): ModalClient {
  return new sdk.ModalClient({ logger: quiet, ...credentials });
}
