/** Turns a scripted reply into steps, and steps into the server-sent events of a chat completion stream. */
import type { ChatBody, ScriptedCall, StreamReply, StreamStep } from './types.ts';

const ARGUMENT_FRAGMENT_UNITS = 8;

function fragments(text: string, split: NonNullable<StreamReply['split']>, kind: 'text' | 'arguments'): string[] {
  if (text === '') return [];
  switch (split) {
    case 'whole':
      return [text];
    case 'units':
      return Array.from({ length: text.length }, (_, unit) => text.charAt(unit));
    case 'words':
      return kind === 'text'
        ? text.match(/\S+\s*|\s+/g) ?? []
        : text.match(new RegExp(`[\\s\\S]{1,${ARGUMENT_FRAGMENT_UNITS}}`, 'g')) ?? [];
  }
}

export function argumentText(call: ScriptedCall): string {
  return typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments);
}

function callSteps(calls: readonly ScriptedCall[], reply: StreamReply, idBase: number): StreamStep[] {
  const perCall = calls.map((call, index): StreamStep[] => [
    { call: { index, id: call.id ?? `call_${idBase + index}`, name: call.name, arguments: '' } },
    ...fragments(argumentText(call), reply.split ?? 'words', 'arguments').map((text) => ({ call: { index, arguments: text } })),
  ]);
  if (!reply.mixed) return perCall.flat();
  const rounds = Math.max(0, ...perCall.map((steps) => steps.length));
  const lastFirst = perCall.toReversed();
  return Array.from({ length: rounds }, (_, round) => lastFirst.flatMap((steps) => steps.slice(round, round + 1))).flat();
}

/** Steps of a reply; `idBase` numbers the call ids that the script left open. */
export function stepsOf(reply: StreamReply, idBase: number): StreamStep[] {
  if (reply.steps) return [...reply.steps];
  const split = reply.split ?? 'words';
  const calls = reply.calls ?? [];
  return [
    ...fragments(reply.reasoning ?? '', split, 'text').map((reasoning) => ({ reasoning })),
    ...fragments(reply.text ?? '', split, 'text').map((text) => ({ text })),
    ...callSteps(calls, reply, idBase),
    { finish: reply.finish ?? (calls.length > 0 ? 'tool_calls' : 'stop') },
  ];
}

function chunk(body: ChatBody, id: string, delta: object, finish: string | null): string {
  return event({ id, object: 'chat.completion.chunk', created: 0, model: body.model, choices: [{ index: 0, delta, finish_reason: finish }] });
}

export function event(data: unknown): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

/** The wire text of one step; undefined for steps that are not text (gates and cuts). */
export function wire(body: ChatBody, id: string, step: StreamStep): string | undefined {
  if ('text' in step) return chunk(body, id, { content: step.text }, null);
  if ('reasoning' in step) return chunk(body, id, { reasoning_content: step.reasoning }, null);
  if ('finish' in step) return chunk(body, id, {}, step.finish);
  if ('raw' in step) return step.raw;
  if ('call' in step) {
    const { index, id: callId, name, arguments: text } = step.call;
    const part = { index, ...(callId === undefined ? {} : { id: callId, type: 'function' }), function: { ...(name === undefined ? {} : { name }), ...(text === undefined ? {} : { arguments: text }) } };
    return chunk(body, id, { tool_calls: [part] }, null);
  }
  return undefined;
}

export function roleChunk(body: ChatBody, id: string): string {
  return chunk(body, id, { role: 'assistant', content: '' }, null);
}

export function usageChunk(body: ChatBody, id: string, usage: NonNullable<StreamReply['usage']>): string {
  return event({ id, object: 'chat.completion.chunk', created: 0, model: body.model, choices: [], usage: usageFields(usage) });
}

function usageFields(usage: NonNullable<StreamReply['usage']>): object {
  return { prompt_tokens: usage.prompt, completion_tokens: usage.completion, total_tokens: usage.prompt + usage.completion, ...(usage.cost !== undefined && { cost: usage.cost }) };
}

/** The same reply as one JSON body, for requests without `stream`. */
export function wholeCompletion(body: ChatBody, id: string, reply: StreamReply, idBase: number): object {
  const calls = (reply.calls ?? []).map((call, index) => (
    { id: call.id ?? `call_${idBase + index}`, type: 'function', function: { name: call.name, arguments: argumentText(call) } }));
  const text = reply.text ?? (reply.steps ?? []).map((step) => ('text' in step ? step.text : '')).join('');
  return {
    id, object: 'chat.completion', created: 0, model: body.model,
    choices: [{
      index: 0, finish_reason: reply.finish ?? (calls.length > 0 ? 'tool_calls' : 'stop'),
      message: { role: 'assistant', content: text, ...(calls.length > 0 ? { tool_calls: calls } : {}) },
    }],
    usage: usageFields(reply.usage ?? { prompt: 10, completion: 5 }),
  };
}
