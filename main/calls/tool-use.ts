/** What is known about whether a chat's model calls tools: servers say so only when they are asked with tools. */
import type { SessionId } from '../../preload/contract/ids.ts';
import type { ConfigStore, EventBus } from '../ports.ts';

export interface ToolUse {
  /** The server refused a request because of its tools. `own`: the chat has a model of its own. */
  refused(sessionId: SessionId, own: boolean): void;
  /** It called a tool after all. */
  called(sessionId: SessionId, own: boolean): void;
  /** The configuration says that it calls none: it is offered none. */
  readonly isOff: boolean;
  /** False when it is known not to. Without a chat: of the model that all chats have. */
  callsTools(sessionId: SessionId | undefined): boolean;
  close(): void;
}

/** `model.supports_tools: false` of config.yaml says it beforehand. Another model connected = nothing is known. */
export function createToolUse({ config, events }: { readonly config: Pick<ConfigStore, 'get'>; readonly events: Pick<EventBus, 'publish' | 'subscribe'> }): ToolUse {
  const refusedIn = new Set<SessionId>();
  let refusedByDefault = false;
  const changed = (): void => events.publish('toolsets', { type: 'changed' });
  const unfollow = events.subscribe('models', () => {
    refusedIn.clear();
    refusedByDefault = false;
  });
  return {
    refused(sessionId, own) {
      refusedIn.add(sessionId);
      if (!own) refusedByDefault = true;
      changed();
    },
    called(sessionId, own) {
      const knew = refusedIn.delete(sessionId) || (!own && refusedByDefault);
      if (!own) refusedByDefault = false;
      if (knew) changed();
    },
    get isOff() { return config.get('model.supports_tools') === false; },
    callsTools: (sessionId) => config.get('model.supports_tools') !== false && (sessionId === undefined ? !refusedByDefault : !refusedIn.has(sessionId)),
    close: unfollow,
  };
}
