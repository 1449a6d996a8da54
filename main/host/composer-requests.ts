/** `composer.*`: what stands around the message that is being written. */
import { AppError } from '../../preload/contract/errors.ts';
import { contextUse } from '../agent/context-use.ts';
import type { AgentParts } from '../agent/parts.ts';
import type { Attachments } from '../composer/attachments.ts';
import { createFileFinder, type FileFinderParts } from '../composer/files.ts';
import type { Connections } from '../models/connection.ts';
import { costOf } from '../models/prices.ts';
import type { ConfigStore } from '../ports.ts';
import type { AreaHandlers } from './handlers.ts';
import type { SessionPlaces } from './places.ts';
import type { Sessions } from './sessions.ts';

/** A message that begins a chat has no chat yet: its files are those of the folder in which the chat will start. */
const NEW_CHAT = 'composer';

export interface ComposerRequestParts {
  readonly agent: AgentParts;
  readonly files: Pick<Attachments, 'add' | 'remove' | 'find'>;
  readonly config: Pick<ConfigStore, 'get' | 'settings'>;
  readonly connections: Pick<Connections, 'current'>;
  readonly places: Pick<SessionPlaces, 'ensure'>;
  readonly sessions: Pick<Sessions, 'existing' | 'startOf'>;
  readonly terminals: FileFinderParts['terminals'] & { registerTask(taskId: string, overrides: { readonly cwd: string }): void };
}

export function composerRequests({ agent, files, config, connections, places, sessions, terminals }: ComposerRequestParts): AreaHandlers<'composer'> {
  const finder = createFileFinder({ monotonic: () => agent.clock.monotonic(), terminals });
  return {
    'composer.files': ({ sessionId, query }) => {
      if (sessionId === undefined) {
        terminals.registerTask(NEW_CHAT, { cwd: sessions.startOf(config.settings().terminal.backend) });
        return finder.find(NEW_CHAT, query);
      }
      sessions.existing(sessionId);
      places.ensure(sessionId);
      return finder.find(sessionId, query);
    },
    'composer.attach': (piece) => files.add(piece),
    'composer.detach': async ({ id }) => {
      if (!agent.storage.messages.attached().some((sent) => sent.id === id)) await files.remove(id);
      return {};
    },
    'composer.attachments': ({ ids }) => files.find(ids),
    'composer.context': async ({ sessionId }) => {
      sessions.existing(sessionId);
      try {
        const use = await contextUse(sessionId, agent);
        const priced = (await connections.current())?.model ?? use.model;
        return { ...use, cost: costOf(agent.storage.usage.byModel(sessionId), priced, config) };
      } catch (error) {
        if (error instanceof AppError && error.code === 'model/none') return null;
        throw error;
      }
    },
  };
}
