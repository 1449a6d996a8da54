/** MCP servers as screens see them, and the forms in which a server asks the person. Tokens, headers and environment values never cross. */
import { z } from 'zod';

/** `held`: its words have changed since they were accepted; `difference` says how. `off`: switched off by the person. */
export const McpToolInfo = z.object({
  /** The server's own name for it. */
  name: z.string(),
  description: z.string(),
  state: z.enum(['offered', 'off', 'held']),
  difference: z.array(z.object({ part: z.enum(['description', 'schema']), before: z.string(), after: z.string() })),
  /** What in its words looks as if it were meant to steer the model. */
  suspicious: z.array(z.string()),
});
export type McpToolInfo = z.infer<typeof McpToolInfo>;

export const McpServerInfo = z.object({
  name: z.string(),
  /** `wrong`: what stands in config.yaml cannot be used. `parked`: given up for some minutes. `idle`: closed until the next call. */
  state: z.enum(['connecting', 'connected', 'idle', 'failed', 'parked', 'needs-sign-in', 'off', 'wrong']),
  kind: z.enum(['stdio', 'http', 'unknown']),
  /** The command line, or the address. */
  where: z.string(),
  /** Why it is not connected, in words. */
  why: z.string().nullable(),
  /** Names of the variables its process is given beside the harmless ones. */
  variables: z.array(z.string()),
  /** Last lines of its stderr. */
  stderr: z.string(),
  pid: z.number().nullable(),
  /** A token is kept for it. */
  signedIn: z.boolean(),
  /** Address of the page that a sign-in waits for; null when none is open. */
  signInPage: z.string().nullable(),
  /** The last thing it wanted to ask the person when that was not possible: why, and when (epoch ms). It was answered with cancel. */
  unasked: z.object({ message: z.string(), why: z.string(), at: z.number() }).nullable(),
  /** What of its list of tools is not offered, and why; one sentence each. */
  problems: z.array(z.string()),
  tools: z.array(McpToolInfo),
});
export type McpServerInfo = z.infer<typeof McpServerInfo>;

const FieldBase = z.object({ name: z.string(), label: z.string(), description: z.string(), required: z.boolean() });
const Choice = z.object({ value: z.string(), label: z.string() });

/** One field of a form that a server asks the person to fill in. */
export const FormField = z.discriminatedUnion('kind', [
  FieldBase.extend({ kind: z.literal('text'), format: z.string().nullable(), default: z.string() }),
  FieldBase.extend({ kind: z.literal('number'), integer: z.boolean(), default: z.number().nullable() }),
  FieldBase.extend({ kind: z.literal('switch'), default: z.boolean() }),
  FieldBase.extend({ kind: z.literal('choice'), choices: z.array(Choice), default: z.string() }),
  FieldBase.extend({ kind: z.literal('choices'), choices: z.array(Choice), default: z.array(z.string()) }),
]);
export type FormField = z.infer<typeof FormField>;

/** What stands in place of choices when an MCP server asks: fields to fill in, or a page to open. */
export const QuestionForm = z.object({
  /** Name of the server, from config.yaml. */
  server: z.string(),
  fields: z.array(FormField),
  /** Set when the person is to open a page: nothing is opened before they agree. */
  url: z.string().nullable(),
});
export type QuestionForm = z.infer<typeof QuestionForm>;

/** `accept` with the values of the fields; `decline` = no; `cancel` = put away without an answer. */
export const FormReply = z.object({
  action: z.enum(['accept', 'decline', 'cancel']),
  values: z.record(z.string().max(200), z.union([z.string().max(20_000), z.number(), z.boolean(), z.array(z.string().max(1_000)).max(1_000)])).default({}),
}).strict();
export type FormReply = z.infer<typeof FormReply>;
