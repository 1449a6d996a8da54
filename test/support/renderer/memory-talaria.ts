/** `window.talaria` without a host behind it: the test answers requests and emits events. */
import type { RequestInput, RequestName, RequestOutput, Talaria, TopicEvent, TopicName } from '../../../preload/contract/index.ts';

export type Answers = { [Name in RequestName]?: (input: RequestInput<Name>) => RequestOutput<Name> | Promise<RequestOutput<Name>> };

export interface MemoryTalaria extends Talaria {
  /** Every request in order, answered or not. */
  readonly asked: readonly { readonly name: RequestName; readonly input: unknown }[];
  /** How often `name` was asked. */
  count(name: RequestName): number;
  emit<Name extends TopicName>(topic: Name, event: TopicEvent<Name>): void;
  setStatus(status: 'connecting' | 'open' | 'closed'): void;
}

/** A request without an answer rejects, so that a test sees what it forgot. */
export function memoryTalaria(answers: Answers): MemoryTalaria {
  const asked: { name: RequestName; input: unknown }[] = [];
  const listeners = new Map<TopicName, Set<(event: never) => void>>();
  const statusListeners = new Set<(status: 'connecting' | 'open' | 'closed') => void>();
  let status: 'connecting' | 'open' | 'closed' = 'open';
  return {
    asked,
    count: (name) => asked.filter((request) => request.name === name).length,
    async request(name, input) {
      asked.push({ name, input });
      const answer = answers[name];
      if (answer === undefined) throw Object.assign(new Error(`the test has no answer for ${name}`), { code: 'request/not-possible' });
      return answer(input);
    },
    subscribe(topic, listener) {
      const set = listeners.get(topic) ?? new Set();
      listeners.set(topic, set);
      set.add(listener);
      return () => { set.delete(listener); };
    },
    onOutput: () => () => undefined,
    onStatus(listener) {
      statusListeners.add(listener);
      listener(status);
      return () => { statusListeners.delete(listener); };
    },
    emit(topic, event) {
      for (const listener of listeners.get(topic) ?? []) listener(event as never); // filed by topic above
    },
    setStatus(next) {
      status = next;
      for (const listener of statusListeners) listener(next);
    },
  };
}
