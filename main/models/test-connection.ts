/** The *Test* button: four steps against an endpoint, each with what failed and what to do about it. */
import type { ModelTestStep } from '../../preload/contract/settings.ts';
import type { Clock, Ids } from '../ports.ts';
import { createAssembler, type ChunkLike } from './assemble.ts';
import { classify, openAi, receive, type Endpoint } from './client.ts';
import { fetchModels } from './discover.ts';
import { httpError, ModelError, networkError } from './errors.ts';
import type { ModelTool } from './types.ts';

/** A local server may have to load the model for the first reply; reaching it at all takes no time. */
const REACH_TIMEOUT_MS = 10_000;
const REPLY_TIMEOUT_MS = 120_000;

const PROBE_TOOL: ModelTool = {
  type: 'function',
  function: {
    name: 'report_colour', description: 'Report the colour that the user names.',
    parameters: { type: 'object', properties: { colour: { type: 'string' } }, required: ['colour'] },
  },
};

export interface TestParts { readonly clock: Clock; readonly ids: Pick<Ids, 'hex'> }

type StepName = ModelTestStep['step'];

/** Steps in order; after a failure that makes the rest pointless, the rest is `skipped`. Never throws. */
export async function testConnection(endpoint: Endpoint, parts: TestParts, signal: AbortSignal = new AbortController().signal): Promise<ModelTestStep[]> {
  const steps: ModelTestStep[] = [];

  async function run(step: StepName, work: () => Promise<string>): Promise<boolean> {
    const from = parts.clock.monotonic();
    const durationMs = (): number => Math.round(parts.clock.monotonic() - from);
    try {
      const message = await work();
      steps.push({ step, state: 'ok', message, durationMs: durationMs() });
      return true;
    } catch (error) {
      const failure = await classify(error, endpoint, signal, parts.clock.now());
      steps.push({ step, state: 'failed', code: failure.code, message: failure.message, ...(failure.hint === undefined ? {} : { hint: failure.hint }), durationMs: durationMs() });
      return false;
    }
  }

  function skip(step: StepName, why: string): void {
    steps.push({ step, state: 'skipped', message: why, durationMs: 0 });
  }

  const reached = await run('reach', () => reach(endpoint, parts.clock, signal));
  if (!reached) {
    for (const step of ['reply', 'stream', 'tool-call'] as const) skip(step, 'Not tried, because the step before failed.');
    return steps;
  }
  const replied = await run('reply', () => reply(endpoint, signal));
  if (!replied) {
    for (const step of ['stream', 'tool-call'] as const) skip(step, 'Not tried, because the model gave no reply.');
    return steps;
  }
  await run('stream', () => streamed(endpoint, signal));
  await run('tool-call', () => toolCall(endpoint, parts.ids, signal));
  return steps;
}

/** Name, port, TLS and key, through the list of models; a server without that list is reached all the same. */
async function reach(endpoint: Endpoint, clock: Clock, signal: AbortSignal): Promise<string> {
  let answer: Awaited<ReturnType<typeof fetchModels>>;
  try {
    answer = await fetchModels(endpoint.baseUrl, endpoint.key, AbortSignal.any([signal, AbortSignal.timeout(REACH_TIMEOUT_MS)]));
  } catch (error) {
    throw networkError(error, endpoint.baseUrl);
  }
  if (answer.status === 401 || answer.status === 403 || answer.status >= 500) {
    throw httpError({ status: answer.status, message: words(answer.body), code: '', headers: undefined }, endpoint.baseUrl, endpoint.model, clock.now());
  }
  if (answer.models.length === 0) return 'The server answers; it lists no models.';
  if (!answer.models.includes(endpoint.model)) return `The server answers and lists ${answer.models.length} ${answer.models.length === 1 ? 'model' : 'models'}, but not ${endpoint.model}.`;
  return `The server answers and lists ${endpoint.model}.`;
}

function words(body: unknown): string {
  if (typeof body === 'string') return body.slice(0, 300);
  const error: unknown = typeof body === 'object' && body !== null && 'error' in body ? body.error : undefined;
  if (typeof error === 'string') return error;
  return typeof error === 'object' && error !== null && 'message' in error && typeof error.message === 'string' ? error.message : '';
}

async function reply(endpoint: Endpoint, signal: AbortSignal): Promise<string> {
  const client = await openAi(endpoint, REPLY_TIMEOUT_MS);
  const completion: unknown = await client.chat.completions.create({ model: endpoint.model, messages: [{ role: 'user', content: 'Answer with the single word: ready' }] }, { signal });
  const answer = assembleWhole(completion);
  if (answer === undefined) throw new ModelError('model/bad-reply', `${endpoint.baseUrl} sent something that is no chat completion.`, { hint: 'Check that the base URL ends where the OpenAI API begins, usually in /v1.' });
  return answer.trim() === '' ? 'The model replied (with an empty text).' : `The model replied: ${answer.trim().slice(0, 80)}`;
}

/** Text of a completion; undefined when it is not one. */
function assembleWhole(completion: unknown): string | undefined {
  if (typeof completion !== 'object' || completion === null || !('choices' in completion) || !Array.isArray(completion.choices)) return undefined;
  const first: unknown = completion.choices[0];
  const message: unknown = typeof first === 'object' && first !== null && 'message' in first ? first.message : undefined;
  if (typeof message !== 'object' || message === null) return undefined;
  return 'content' in message && typeof message.content === 'string' ? message.content : '';
}

async function chunks(endpoint: Endpoint, body: { readonly content: string; readonly tools?: readonly ModelTool[] }, signal: AbortSignal): Promise<ChunkLike[]> {
  const client = await openAi(endpoint, REPLY_TIMEOUT_MS);
  const stream = receive(client, {
    model: endpoint.model, messages: [{ role: 'user', content: body.content }], stream: true,
    ...(body.tools === undefined ? {} : { tools: body.tools.map((tool) => ({ ...tool, function: { ...tool.function, parameters: { ...tool.function.parameters } } })) }),
  }, endpoint.baseUrl, signal);
  const received: ChunkLike[] = [];
  for await (const chunk of stream) received.push(chunk);
  return received;
}

async function streamed(endpoint: Endpoint, signal: AbortSignal): Promise<string> {
  const received = await chunks(endpoint, { content: 'Count from one to five in words.' }, signal);
  if (received.length < 2) {
    throw new ModelError('model/no-streaming', `${endpoint.baseUrl} did not stream its reply.`, { hint: 'Turn streaming on in the server, or use another one.' });
  }
  return `The reply came in ${received.length} pieces.`;
}

async function toolCall(endpoint: Endpoint, ids: Pick<Ids, 'hex'>, signal: AbortSignal): Promise<string> {
  const received = await chunks(endpoint, { content: 'Call the tool report_colour with the colour blue. Do not answer in text.', tools: [PROBE_TOOL] }, signal);
  const assembler = createAssembler();
  for (const chunk of received) assembler.add(chunk);
  const { calls } = assembler.end(() => `call_${ids.hex(4)}`, endpoint.model).reply;
  const call = calls.find(({ name }) => name === PROBE_TOOL.function.name);
  if (!call) {
    throw new ModelError('model/no-tools', `${endpoint.model} was asked to call a tool and did not.`, { hint: 'It can chat, but the agent needs a model with tool calling; with Ollama or llama.cpp check the chat template (--jinja).' });
  }
  return `The model called the tool with ${call.arguments.slice(0, 80)}`;
}
