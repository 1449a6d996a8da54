/** The contract's public door: every request, event, id and error code that crosses. */
export * from './approval-rules.ts';
export * from './approvals.ts';
export * from './attachments.ts';
export * from './channel.ts';
export * from './browser.ts';
export * from './checkpoints.ts';
export * from './composer.ts';
export * from './credentials.ts';
export * from './errors.ts';
export * from './events.ts';
export * from './gateway.ts';
export * from './ids.ts';
export * from './mcp.ts';
export * from './schedules.ts';
export * from './plugins.ts';
export * from './requests.ts';
export type { MemoryFile } from './requests-tools.ts';
export * from './sessions.ts';
export * from './settings.ts';
export * from './skills.ts';
export * from './terminal.ts';

import type { Off } from './channel.ts';
import type { TopicEvent, TopicName } from './events.ts';
import type { RequestInput, RequestName, RequestOutput } from './requests.ts';

/** What a screen sees as `window.talaria`, in every shell. */
export interface Talaria {
  /** Rejects with an object in the shape of `ErrorShape`; not an `AppError`, since classes do not cross Electron's context bridge. */
  request<Name extends RequestName>(name: Name, input: RequestInput<Name>): Promise<RequestOutput<Name>>;
  subscribe<Name extends TopicName>(topic: Name, listener: (event: TopicEvent<Name>) => void): Off;
  /**
   * Raw terminal bytes of one attachment, in order, from the moment `terminals.attach` answered; what came before the listener is kept for it.
   * An attachment ends with its connection: attach again on the next `open`.
   */
  onOutput(attachment: number, listener: (bytes: Uint8Array) => void): Off;
  /** Called at once with the present state. `connecting` → `open` → `closed`; the client reconnects by itself and subscribes again. */
  onStatus(listener: (status: 'connecting' | 'open' | 'closed') => void): Off;
}
