/** Daytona's SDK, loaded when it is first used, and what its errors mean. */
import type * as DaytonaSdk from '@daytona/sdk';
import type { Daytona } from '@daytona/sdk';
import { EnvironmentError } from '../base.ts';
import { isNetworkError, kindOfStatus, type ProblemKind, type Service, type Timing } from '../hosted.ts';
import type { DaytonaSettings } from './settings.ts';

type Sdk = typeof DaytonaSdk;

export async function loadDaytona(): Promise<Sdk> {
  try {
    return await import('@daytona/sdk');
  } catch (cause) {
    throw new EnvironmentError('missing', 'the Daytona SDK is not installed', { cause, hint: 'Install Talaria with its optional dependencies: npm install @daytona/sdk@0.216.0' });
  }
}

/** HTTP status of an error of the SDK; undefined when no answer came. */
export function statusOf(error: unknown): number | undefined {
  return error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number' ? error.statusCode : undefined;
}

function classify(error: unknown): ProblemKind {
  const status = statusOf(error) ?? Number(/Unexpected server response: (\d{3})/.exec(error instanceof Error ? error.message : '')?.[1]);
  if (Number.isFinite(status)) return kindOfStatus(status);
  const name = error instanceof Error ? error.name : '';
  if (name.includes('Timeout')) return 'silent';
  if (name.includes('Connection') || isNetworkError(error)) return 'unreachable';
  return /Authentication/.test(name) ? 'credentials' : 'refused';
}

export const DAYTONA: Service = { name: 'Daytona', credentials: 'DAYTONA_API_KEY', classify };

/** Without the SDK's own event connection: a client that only runs commands has no use for another socket. */
export function connectDaytona(sdk: Sdk, apiKey: string, settings: DaytonaSettings, timing: Timing): Daytona {
  return new sdk.Daytona({
    apiKey, useDeprecatedPolling: true, requestTimeoutMs: timing.answerMs,
    ...(settings.apiUrl === undefined ? {} : { apiUrl: settings.apiUrl }), ...(settings.target === undefined ? {} : { target: settings.target }),
  });
}
