/** The one registry: tool modules join it by being loaded. It imports no tool. */
import type { ToolContext, JsonObject } from './context.ts';

export interface ToolSchema {
  readonly name?: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly parameters?: JsonObject;
}

/** The rare result that is not text: parts for the model, with a text summary. */
export interface MultimodalResult { readonly _multimodal: true; readonly content: readonly unknown[]; readonly text_summary?: string }

/** May throw anything: the dispatcher turns it into a result. */
export type ToolHandler = (args: Record<string, unknown>, context: ToolContext) => string | MultimodalResult | Promise<string | MultimodalResult>;

/** Undefined or true = available; false = not; a string or a reason = not, with the words to show. Throwing = not. */
export type CheckAnswer = boolean | CheckReason;
export interface CheckReason {
  readonly step: 'missing-variable' | 'missing-program' | 'wrong-backend' | 'check-failed';
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
export type CheckFunction = (context: CheckContext) => CheckAnswer | Promise<CheckAnswer>;

export interface ToolRegistration {
  readonly name: string;
  readonly toolset: string;
  readonly schema: ToolSchema;
  readonly handler: ToolHandler;
  readonly checkFn?: CheckFunction;
  readonly requiresEnv?: readonly string[];
  readonly isAsync?: boolean;
  readonly description?: string;
  readonly emoji?: string;
  readonly maxResultSizeChars?: number;
  readonly dynamicSchemaOverrides?: () => Partial<ToolSchema>;
  readonly override?: boolean;
}
