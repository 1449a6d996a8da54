/** Puts one reply together from streamed chunks of any OpenAI-like server, and says what each chunk added. */
import { createThinkSplitter } from './think-splitter.ts';
import type { DecidedCall, ModelDelta, ModelReply } from './types.ts';

interface CallDraft { id: string; name: string; arguments: string; told: boolean }

/** The parts of a chunk we read. Servers differ: every field may be missing or of another kind. */
export interface ChunkLike {
  readonly model?: unknown;
  readonly choices?: readonly {
    readonly delta?: {
      readonly content?: unknown; readonly reasoning_content?: unknown; readonly reasoning?: unknown;
      readonly tool_calls?: unknown;
    } | null;
    readonly finish_reason?: unknown;
  }[] | null;
  readonly usage?: { readonly prompt_tokens?: unknown; readonly completion_tokens?: unknown; readonly cost?: unknown } | null;
}

interface Fragment { readonly index: number | undefined; readonly id: string; readonly name: string; readonly arguments: string }

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function fragmentOf(value: unknown): Fragment | undefined {
  if (!isRecord(value)) return undefined;
  const call = isRecord(value['function']) ? value['function'] : {};
  const given = call['arguments'];
  return {
    index: typeof value['index'] === 'number' ? value['index'] : undefined,
    id: textOf(value['id']),
    name: textOf(call['name']),
    // Some servers send the parsed object at once.
    arguments: isRecord(given) ? JSON.stringify(given) : textOf(given),
  };
}

export interface Assembler {
  /** Feeds one chunk; returns what it added, in order. */
  add(chunk: ChunkLike): ModelDelta[];
  /** True once the server said why it stopped. A stream without that was cut. */
  readonly finished: boolean;
  readonly model: string | undefined;
  /** `mintId` gives ids to calls that came without one or with one already used in this message. */
  end(mintId: () => string, model: string): { readonly reply: ModelReply; readonly deltas: ModelDelta[] };
}

/**
 * Rules learnt from servers in the field: the index may be missing or always 0 (then a new id starts a new call); id and
 * name may be repeated in every fragment; indices may arrive in any order; usage may come in a chunk without choices.
 */
export function createAssembler(): Assembler {
  const think = createThinkSplitter();
  const drafts = new Map<number, CallDraft>();
  const positions: number[] = [];
  let text = '';
  let reasoning = '';
  let finish: string | undefined;
  let usage: ModelReply['usage'];
  let model: string | undefined;
  let lastKey = -1;

  function keyOf(fragment: Fragment): number {
    if (fragment.index !== undefined) {
      const known = drafts.get(fragment.index);
      const otherCall = known !== undefined && fragment.id !== '' && known.id !== '' && fragment.id !== known.id && fragment.name !== '';
      if (!otherCall) return fragment.index;
    } else if (lastKey >= 0 && fragment.name === '') {
      return lastKey;
    }
    return Math.max(-1, ...drafts.keys()) + 1;
  }

  function addCall(fragment: Fragment): ModelDelta[] {
    const key = keyOf(fragment);
    lastKey = key;
    let draft = drafts.get(key);
    if (!draft) {
      draft = { id: '', name: '', arguments: '', told: false };
      drafts.set(key, draft);
      positions.push(key);
    }
    if (draft.id === '') draft.id = fragment.id;
    if (draft.name === '') draft.name = fragment.name;
    draft.arguments += fragment.arguments;
    if (draft.told || draft.name === '') return [];
    draft.told = true;
    return [{ kind: 'call', position: positions.indexOf(key), name: draft.name }];
  }

  function addParts(parts: readonly { kind: 'text' | 'reasoning'; text: string }[]): ModelDelta[] {
    for (const part of parts) {
      if (part.kind === 'text') text += part.text;
      else reasoning += part.text;
    }
    return [...parts];
  }

  return {
    add(chunk) {
      const deltas: ModelDelta[] = [];
      if (typeof chunk.model === 'string' && chunk.model !== '') model = chunk.model;
      const counted = chunk.usage;
      if (counted && typeof counted.prompt_tokens === 'number') {
        usage = {
          promptTokens: counted.prompt_tokens, completionTokens: typeof counted.completion_tokens === 'number' ? counted.completion_tokens : 0,
          ...(typeof counted.cost === 'number' && { cost: counted.cost }),
        };
      }
      const choice = chunk.choices?.[0];
      const delta = choice?.delta;
      if (delta) {
        const thought = textOf(delta.reasoning_content) || textOf(delta.reasoning);
        if (thought !== '') deltas.push(...addParts([{ kind: 'reasoning', text: thought }]));
        if (textOf(delta.content) !== '') deltas.push(...addParts(think.add(textOf(delta.content))));
        const fragments = Array.isArray(delta.tool_calls) ? delta.tool_calls : [];
        for (const fragment of fragments.map(fragmentOf)) if (fragment) deltas.push(...addCall(fragment));
      }
      if (typeof choice?.finish_reason === 'string' && choice.finish_reason !== '') finish = choice.finish_reason;
      return deltas;
    },
    get finished() {
      return finish !== undefined;
    },
    get model() {
      return model;
    },
    end(mintId, fallbackModel) {
      const deltas = addParts(think.end());
      const used = new Set<string>();
      const calls = positions.map((key): DecidedCall => {
        const draft = drafts.get(key) ?? { id: '', name: '', arguments: '' };
        const modelCallId = draft.id === '' || used.has(draft.id) ? mintId() : draft.id;
        used.add(modelCallId);
        return { modelCallId, name: draft.name, arguments: draft.arguments.trim() === '' ? '{}' : draft.arguments };
      });
      return { reply: { text, reasoning, calls, finish: finishOf(finish, calls.length), usage, model: model ?? fallbackModel }, deltas };
    },
  };
}

function finishOf(finish: string | undefined, calls: number): ModelReply['finish'] {
  if (finish === 'length' || finish === 'content_filter') return finish;
  return calls > 0 ? 'tool_calls' : 'stop';
}
