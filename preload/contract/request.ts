/** What a request of the contract is made of. */
import { z } from 'zod';
import { SessionId } from './ids.ts';

interface RequestSpec<Input extends z.ZodType, Output extends z.ZodType> {
  readonly input: Input;
  readonly output: Output;
  /** Largest accepted request frame, in UTF-16 units of its JSON. */
  readonly maxChars: number;
}

/** Room for a pasted file in a message or a terminal. */
export const LARGE_CHARS = 4_000_000;
const SMALL_CHARS = 64_000;

export function request<Input extends z.ZodType, Output extends z.ZodType>(
  input: Input, output: Output, maxChars: number = SMALL_CHARS,
): RequestSpec<Input, Output> {
  return { input, output, maxChars };
}

export const Nothing = z.object({}).strict();
export const Done = z.object({}).strict();
export const OfSession = z.object({ sessionId: SessionId }).strict();
