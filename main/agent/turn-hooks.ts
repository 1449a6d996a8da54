/** What plugins hear of a turn, and what they may add to it (hermes-runtime 3.3). Nothing is built where nobody listens. */
import type { HookBus } from '../calls/hooks.ts';
import type { ModelError } from '../models/errors.ts';
import type { ModelReply } from '../models/types.ts';

type Bus = Pick<HookBus, 'has' | 'observe' | 'firstText' | 'collect'>;

export interface TurnHooks {
  /** Text of the plugins for the system prompt of this turn; empty for none. Told once, before the first request. */
  begin(userMessage: string): Promise<string>;
  beforeRequest(counts: { readonly messages: number; readonly tools: number }): Promise<void>;
  afterRequest(outcome: ModelReply | ModelError, durationMs: number): Promise<void>;
  /** The answer that ends the turn, as the plugins want it. */
  answer(text: string): Promise<string>;
  end(reason: string): Promise<void>;
}

/** `{context}` or a text, of each plugin that has something to add. */
function contextOf(answer: unknown): string {
  const text = typeof answer === 'object' && answer !== null && 'context' in answer ? answer.context : answer;
  return typeof text === 'string' ? text.trim() : '';
}

export function createTurnHooks(bus: Bus | undefined, about: { readonly sessionId: string; readonly turn: number; readonly model: string; readonly platform: string }): TurnHooks {
  const common = { session_id: about.sessionId, turn_id: `${about.sessionId}:${String(about.turn)}`, model: about.model, platform: about.platform };
  let request = 0;
  let said = '';
  let answered = '';
  const tell = async (name: string, more: object): Promise<void> => {
    if (bus?.has(name) === true) await bus.observe(name, { ...common, ...more });
  };
  return {
    async begin(userMessage) {
      said = userMessage;
      const isFirst = about.turn === 1;
      if (isFirst) await tell('on_session_start', {});
      if (bus?.has('pre_llm_call') !== true) return '';
      const answers = await bus.collect('pre_llm_call', { ...common, user_message: userMessage, is_first_turn: isFirst });
      return answers.map(contextOf).filter((text) => text !== '').join('\n\n');
    },
    beforeRequest: ({ messages, tools }) => {
      request += 1;
      return tell('pre_api_request', { api_call_count: request, message_count: messages, tool_count: tools });
    },
    afterRequest: (outcome, durationMs) => (outcome instanceof Error
      ? tell('api_request_error', { api_call_count: request, duration_ms: durationMs, error_type: outcome.code, error_message: outcome.message })
      : tell('post_api_request', { api_call_count: request, duration_ms: durationMs, finish_reason: outcome.finish, tool_call_count: outcome.calls.length, usage: outcome.usage ?? null })),
    async answer(text) {
      const changed = bus?.has('transform_llm_output') === true ? await bus.firstText('transform_llm_output', { ...common, response_text: text }) : undefined;
      answered = changed ?? text;
      return answered;
    },
    async end(reason) {
      if (answered !== '') await tell('post_llm_call', { user_message: said, assistant_response: answered });
      await tell('on_session_end', { completed: reason === 'done', interrupted: reason === 'stopped', reason });
    },
  };
}
