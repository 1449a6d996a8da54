import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createAssembler, type ChunkLike } from '../../../main/models/assemble.ts';
import type { ModelDelta, ModelReply } from '../../../main/models/types.ts';
import { stepsOf } from '../../support/model/stream.ts';

function chunk(delta: object, finish: string | null = null): ChunkLike {
  return { choices: [{ delta, finish_reason: finish }] };
}

function assemble(chunks: readonly ChunkLike[]): { reply: ModelReply; deltas: ModelDelta[]; finished: boolean } {
  let minted = 0;
  const assembler = createAssembler();
  const deltas = chunks.flatMap((each) => assembler.add(each));
  const end = assembler.end(() => `minted_${minted++}`, 'm');
  return { reply: end.reply, deltas: [...deltas, ...end.deltas], finished: assembler.finished };
}

const fragment = (index: number | undefined, fields: { id?: string; name?: string; arguments?: unknown }): object => ({
  tool_calls: [{ ...(index === undefined ? {} : { index }), ...(fields.id === undefined ? {} : { id: fields.id }), function: { name: fields.name, arguments: fields.arguments } }],
});

test('any cut of text and calls, in any order of indices, is put together as it was meant', () => {
  const calls = fc.array(fc.record({ name: fc.constantFrom('read_file', 'terminal'), arguments: fc.dictionary(fc.string(), fc.string({ unit: 'grapheme' })) }), { maxLength: 4 });
  fc.assert(fc.property(fc.string({ unit: 'grapheme' }), calls, fc.constantFrom('whole', 'words', 'units'), fc.boolean(), (text, decided, split, mixed) => {
    const chunks = stepsOf({ text, calls: decided, split, mixed }, 0).map((step): ChunkLike => {
      if ('text' in step) return chunk({ content: step.text });
      if ('call' in step) return chunk(fragment(step.call.index, step.call));
      return chunk({}, 'finish' in step ? step.finish : null);
    });
    const { reply } = assemble(chunks);
    const meant = text.trimStart().startsWith('<think>') ? undefined : text;
    if (meant !== undefined) expect(reply.text).toBe(meant);
    const byId = reply.calls.toSorted((one, other) => one.modelCallId.localeCompare(other.modelCallId));
    expect(byId.map((call) => [call.name, JSON.parse(call.arguments)])).toEqual(decided.map((call) => [call.name, { ...call.arguments }]));
  }));
});

test('servers that leave the index out start a new call with a new id or name', () => {
  const { reply } = assemble([
    chunk(fragment(undefined, { id: 'a', name: 'one', arguments: '{"x"' })), chunk(fragment(undefined, { arguments: ':1}' })),
    chunk(fragment(undefined, { id: 'b', name: 'two', arguments: '{}' })), chunk({}, 'tool_calls'),
  ]);
  expect(reply.calls).toEqual([{ modelCallId: 'a', name: 'one', arguments: '{"x":1}' }, { modelCallId: 'b', name: 'two', arguments: '{}' }]);
});

test('servers that give every call index 0 are told apart by id', () => {
  const { reply } = assemble([chunk(fragment(0, { id: 'a', name: 'one', arguments: '{}' })), chunk(fragment(0, { id: 'b', name: 'one', arguments: '{"y":2}' })), chunk({}, 'stop')]);
  expect(reply.calls.map((call) => call.arguments)).toEqual(['{}', '{"y":2}']);
  expect(reply.finish).toBe('tool_calls');
});

test('a name and an id repeated in every fragment are taken once', () => {
  const { reply } = assemble([chunk(fragment(0, { id: 'a', name: 'read_file', arguments: '{"p":' })), chunk(fragment(0, { id: 'a', name: 'read_file', arguments: '1}' })), chunk({}, 'tool_calls')]);
  expect(reply.calls).toEqual([{ modelCallId: 'a', name: 'read_file', arguments: '{"p":1}' }]);
});

test('missing and doubled ids are replaced, empty arguments become an object, parsed ones become text', () => {
  const { reply } = assemble([
    chunk(fragment(0, { name: 'one', arguments: '' })), chunk(fragment(1, { id: 'same', name: 'two', arguments: { a: 1 } })), chunk(fragment(2, { id: 'same', name: 'three' })), chunk({}, 'tool_calls'),
  ]);
  expect(reply.calls).toEqual([
    { modelCallId: 'minted_0', name: 'one', arguments: '{}' }, { modelCallId: 'same', name: 'two', arguments: '{"a":1}' }, { modelCallId: 'minted_1', name: 'three', arguments: '{}' },
  ]);
});

test('a call is told as soon as its name is known, once', () => {
  const { deltas } = assemble([chunk(fragment(0, { id: 'a', name: 'terminal', arguments: '{"command":' })), chunk(fragment(0, { arguments: '"ls"}' })), chunk({}, 'tool_calls')]);
  expect(deltas).toEqual([{ kind: 'call', position: 0, name: 'terminal' }]);
});

test('thinking inside tags at the start is reasoning, whatever it is cut into', () => {
  const text = '  <think>first\nsecond</think>\n\nThe <think> answer';
  fc.assert(fc.property(fc.array(fc.integer({ min: 0, max: text.length }), { maxLength: 12 }), (cuts) => {
    const borders = [0, ...cuts.toSorted((one, other) => one - other), text.length];
    const chunks = borders.slice(1).map((end, position) => chunk({ content: text.slice(borders[position], end) }));
    const { reply, deltas } = assemble([...chunks, chunk({}, 'stop')]);
    expect(reply.reasoning).toBe('first\nsecond');
    expect(reply.text).toBe('The <think> answer');
    expect(deltas.filter((delta) => delta.kind === 'text').map((delta) => delta.text).join('')).toBe(reply.text);
  }));
});

test('usage may come in a chunk without choices, and its absence is said', () => {
  expect(assemble([chunk({ content: 'x' }, 'stop'), { choices: [], usage: { prompt_tokens: 7, completion_tokens: 3 } }]).reply.usage).toEqual({ promptTokens: 7, completionTokens: 3 });
  expect(assemble([chunk({ content: 'x' }, 'stop')]).reply.usage).toBeUndefined();
});

test('a stream without a finish reason is not finished', () => {
  expect(assemble([chunk({ content: 'half' })]).finished).toBe(false);
});

test('no chunk shape makes the assembler throw', () => {
  fc.assert(fc.property(fc.array(fc.anything()), (values) => {
    const assembler = createAssembler();
    for (const value of values) assembler.add({ choices: [{ delta: { content: value, tool_calls: [value, { function: value, index: value }], reasoning: value }, finish_reason: value }] });
    expect(Array.isArray(assembler.end(() => 'x', 'm').reply.calls)).toBe(true);
  }));
});
