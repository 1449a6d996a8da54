/** Token counts without a tokenizer: good enough to decide when to trim, quick enough to do before every request. */
import type { ModelMessage, ModelTool } from './types.ts';

/** English text and code run at about 4 characters a token in the tokenizers of today's models (Hermes uses the same figure). */
const ASCII_CHARS_PER_TOKEN = 4;
/** Other scripts: about 1.5 characters a token; an upper bound for most, so that trimming comes early rather than late. */
const OTHER_CHARS_PER_TOKEN = 1.5;
/** Role, separators and call envelope of one message. */
const MESSAGE_TOKENS = 4;
/** A picture of 1,024 pixels a side in high detail, as OpenAI counts it. */
const IMAGE_TOKENS = 765;

/** Estimated tokens of a text. */
export function estimateTokens(text: string): number {
  let ascii = 0;
  for (let unit = 0; unit < text.length; unit += 1) if (text.charCodeAt(unit) < 0x80) ascii += 1;
  return Math.ceil(ascii / ASCII_CHARS_PER_TOKEN + (text.length - ascii) / OTHER_CHARS_PER_TOKEN);
}

function contentTokens(content: ModelMessage['content']): number {
  if (content === null || typeof content === 'string') return estimateTokens(content ?? '');
  return content.reduce((sum, part) => sum + (part.type === 'text' ? estimateTokens(part.text) : IMAGE_TOKENS), 0);
}

function messageTokens(message: ModelMessage): number {
  const calls = message.role === 'assistant' ? message.tool_calls ?? [] : [];
  return MESSAGE_TOKENS + contentTokens(message.content)
    + calls.reduce((sum, call) => sum + MESSAGE_TOKENS + estimateTokens(call.function.name) + estimateTokens(call.function.arguments), 0);
}

export interface RequestTokens { readonly system: number; readonly tools: number; readonly messages: number; readonly results: number }

/** Estimated prompt tokens of a request by what they are spent on; `results` is what tools answered. */
export function requestTokensByKind(messages: readonly ModelMessage[], tools: readonly ModelTool[]): RequestTokens {
  const spent = { system: 0, messages: 0, results: 0 };
  for (const message of messages) spent[message.role === 'system' ? 'system' : message.role === 'tool' ? 'results' : 'messages'] += messageTokens(message);
  return { ...spent, tools: tools.length === 0 ? 0 : estimateTokens(JSON.stringify(tools)) };
}

/** Estimated prompt tokens of a whole request. */
export function estimateRequestTokens(messages: readonly ModelMessage[], tools: readonly ModelTool[]): number {
  const { system, tools: offered, messages: said, results } = requestTokensByKind(messages, tools);
  return system + offered + said + results;
}
