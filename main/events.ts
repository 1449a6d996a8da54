/** Facts broadcast to every screen. A listener that throws is logged and takes nothing from the others. */
import type { TopicEvent, TopicName } from '../preload/contract/index.ts';
import type { EventBus, Log } from './ports.ts';

type Listener = (event: never) => void;

/** Listeners are called at once, in the order in which they subscribed; one added while an event is published hears the next. */
export function createEventBus(log: Log): EventBus {
  const listeners = new Map<TopicName, Set<Listener>>();
  return {
    publish<Name extends TopicName>(topic: Name, event: TopicEvent<Name>): void {
      for (const listener of [...(listeners.get(topic) ?? [])]) {
        try {
          (listener as (event: TopicEvent<Name>) => void)(event); // cast: `subscribe` files a listener under the topic whose events it takes
        } catch (error) {
          log.error('a listener of an event failed', { topic, error });
        }
      }
    },
    subscribe<Name extends TopicName>(topic: Name, listener: (event: TopicEvent<Name>) => void): () => void {
      const own: Listener = (event) => listener(event);
      const set = listeners.get(topic) ?? new Set<Listener>();
      listeners.set(topic, set);
      set.add(own);
      return () => { set.delete(own); };
    },
  };
}
