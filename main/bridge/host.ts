/** What the bridge needs of the host: nothing else of it is reachable from a screen. */
import type { ParsedInput, RequestName, RequestOutput } from '../../preload/contract/index.ts';
import type { Approvals, EventBus, Log, Terminals } from '../ports.ts';

/** Requests the bridge answers itself, because an attachment belongs to its connection. */
export type AttachmentRequest = 'terminals.attach' | 'terminals.detach' | 'terminals.ack';
/** Requests that go to `BridgeHost.handle`. */
export type HandledRequest = Exclude<RequestName, AttachmentRequest>;

/** Who asks: `via` names the shell and is what `decidedBy` of an approval shows; `client` is unique per connection. */
export interface Caller {
  readonly via: 'desktop' | 'browser' | 'cli' | 'test';
  readonly client: string;
}

export interface BridgeHost {
  /** `input` has passed its schema. Rejects with an `AppError` for everything a person can act on; anything else crosses as `host/internal`. */
  handle<Name extends HandledRequest>(name: Name, input: ParsedInput<Name>, caller: Caller): Promise<RequestOutput<Name>>;
  readonly events: Pick<EventBus, 'subscribe'>;
  readonly terminals: Pick<Terminals, 'attach'>;
  /** A connection that listens to `approvals` can show them: while it does, somebody can be asked. */
  readonly approvals?: Pick<Approvals, 'addSurface'>;
  readonly log: Log;
}
