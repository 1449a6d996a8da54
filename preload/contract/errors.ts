/** The closed list of error codes that cross to a screen, and the one shape they cross in. */
import { z } from 'zod';

export const ErrorCode = z.enum([
  'request/unknown', 'request/invalid', 'request/too-large', 'request/foreign-sender', 'request/not-possible',
  'not-found', 'conflict', 'host/closed', 'host/internal',
  'session/busy', 'session/deleted',
  'approval/late',
  'config/malformed', 'config/locked', 'config/write-failed',
  'model/none', 'model/dns', 'model/refused', 'model/tls', 'model/unauthorised', 'model/not-found', 'model/no-tools', 'model/no-pictures',
  'model/no-streaming', 'model/rate-limited', 'model/server', 'model/timeout', 'model/context', 'model/bad-reply', 'model/network',
  'environment/unreachable', 'environment/missing', 'environment/failed',
  'terminal/gone', 'terminal/read-only',
  'tool/unknown', 'tool/unavailable',
  'mcp/sign-in-failed',
  'storage/failed',
]);
export type ErrorCode = z.infer<typeof ErrorCode>;

/** `message` names the cause, `hint` the next step. No stack crosses. */
export const ErrorShape = z.object({ code: ErrorCode, message: z.string(), hint: z.string().optional() });
export type ErrorShape = z.infer<typeof ErrorShape>;

/** An error a person or a caller can act on. Anything else is wrapped as `host/internal` at the edge, once. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;

  constructor(code: ErrorCode, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.hint = options.hint;
  }

  /** The part that may cross to a screen. */
  toShape(): ErrorShape {
    return this.hint === undefined
      ? { code: this.code, message: this.message }
      : { code: this.code, message: this.message, hint: this.hint };
  }
}
