/** Files that go with messages, joined to what the host has: where they lie, how they reach a chat's tools, and what sees them. */
import { join } from 'node:path';
import type { AttachmentId } from '../../preload/contract/ids.ts';
import { createBringer, type BringerParts } from '../agent/attached.ts';
import type { AgentParts } from '../agent/parts.ts';
import { createAttachments, type Attachments } from '../composer/attachments.ts';
import { createVision } from '../models/vision.ts';
import type { Clock, ConfigStore, Ids, Log, Storage } from '../ports.ts';
import { mediaType } from './media-requests.ts';

export interface AttachedFilesParts {
  /** `<home>/desktop/outputs`. */
  readonly outputs: string;
  readonly clock: Clock;
  readonly config: Pick<ConfigStore, 'settings'>;
  readonly ids: Pick<Ids, 'hex'>;
  readonly log: Log;
  readonly storage: Pick<Storage, 'values' | 'messages'>;
  readonly terminals: Pick<BringerParts, 'backend' | 'environment'>;
}

export interface AttachedFiles {
  readonly files: Attachments;
  readonly forAgent: Required<Pick<AgentParts, 'attachments' | 'vision'>>;
  /** Lets go of files that went with no message, and of those whose chat is gone. */
  sweep(): Promise<void>;
}

export function createAttachedFiles({ outputs, clock, config, ids, log, storage, terminals }: AttachedFilesParts): AttachedFiles {
  const files = createAttachments({ folder: join(outputs, 'attachments'), clock, ids, log, typeOf: mediaType });
  const bringer = createBringer({ pathOf: files.pathOf, read: files.read, backend: (taskId) => terminals.backend(taskId), environment: (taskId) => terminals.environment(taskId) });
  const picture = async (id: AttachmentId): Promise<string | undefined> => {
    const [attachment] = await files.find([id]);
    return attachment === undefined ? undefined : files.picture(attachment);
  };
  return {
    files,
    forAgent: { attachments: { ...bringer, picture }, vision: createVision(config, storage.values) },
    sweep: () => files.sweep(new Set(storage.messages.attached().map(({ id }) => id))),
  };
}
