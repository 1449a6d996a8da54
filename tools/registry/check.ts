/** What a tool's check is asked with and may answer (hermes-runtime 1.7). */

/** Undefined or true = available; false = not; a string or a reason = not, with the words to show. Throwing = not. */
export type CheckAnswer = boolean | string | undefined | CheckReason;
export interface CheckReason {
  readonly step: 'missing-variable' | 'missing-program' | 'wrong-backend' | 'check-failed' | 'plugin-not-trusted' | 'needs-sign-in';
  readonly message: string;
  readonly fix?: string;
}
/** `available` lets a check look at variables, PATH and the chosen backend without importing the host. */
export interface CheckContext {
  env(name: string): string | undefined;
  /** Absolute path of a program on PATH, else undefined. */
  which(program: string): string | undefined;
  readonly path: string;
  readonly backend: string;
  config(path: string): unknown;
  /** Cheap probe of the chosen terminal backend. */
  probeBackend(): Promise<CheckAnswer>;
}
/** What a schema may depend on besides the other tools: settings and variables. */
export type SchemaPlace = Pick<CheckContext, 'env' | 'config'>;
export type CheckFunction = (context: CheckContext) => CheckAnswer | Promise<CheckAnswer>;

const uncachedChecks = new WeakSet<CheckFunction>();
/** Marks a check whose answer must never be remembered: it is asked on every pass. Returns it. */
export function uncachedCheck(check: CheckFunction): CheckFunction {
  uncachedChecks.add(check);
  return check;
}
export function isUncachedCheck(check: CheckFunction): boolean {
  return uncachedChecks.has(check);
}
