/** How a message of the person goes into a chat. */
import type { Attachment } from '../../preload/contract/attachments.ts';
import type { ModelClient } from '../models/types.ts';

export interface SendOptions {
  readonly steer?: boolean;
  readonly client?: ModelClient;
  /** Files that go along; they are there. */
  readonly attachments?: Attachment[];
}
