/** `models.*` and `settings.*`. A key comes in here and never goes out. */
import { AppError } from '../../preload/contract/errors.ts';
import { saveSettings } from '../config/settings.ts';
import type { Connections } from '../models/connection.ts';
import { discoverServers, fetchModels } from '../models/discover.ts';
import { httpError, networkError } from '../models/errors.ts';
import { testConnection } from '../models/test-connection.ts';
import type { Clock, ConfigStore, EventBus, Ids } from '../ports.ts';
import type { AreaHandlers } from './handlers.ts';

/** A person waits for the list in a form. */
const LIST_TIMEOUT_MS = 10_000;

export interface ModelRequestParts {
  readonly clock: Clock;
  readonly config: ConfigStore;
  readonly connections: Connections;
  readonly events: EventBus;
  readonly ids: Ids;
  /** Aborts when the host closes. */
  readonly signal: AbortSignal;
}

export function modelRequests(parts: ModelRequestParts): AreaHandlers<'models'> & AreaHandlers<'settings'> {
  const { clock, config, connections, events } = parts;
  return {
    'models.current': async () => await connections.current() ?? null,
    'models.discover': () => discoverServers(),
    'models.list': async ({ baseUrl, key }) => {
      let answer: Awaited<ReturnType<typeof fetchModels>>;
      try {
        answer = await fetchModels(baseUrl, key ?? await connections.keyFor(baseUrl), AbortSignal.any([parts.signal, AbortSignal.timeout(LIST_TIMEOUT_MS)]));
      } catch (error) {
        throw networkError(error, baseUrl);
      }
      if (answer.status >= 400) throw httpError({ status: answer.status, message: '', code: '', headers: undefined }, baseUrl, { list: true }, clock.now());
      return answer.models;
    },
    'models.test': async ({ baseUrl, model, key }) => testConnection(
      { baseUrl, model, key: key ?? await connections.keyFor(baseUrl), contextTokens: 0 }, parts, parts.signal,
    ),
    'models.save': async ({ baseUrl, model, key }) => {
      const saved = await connections.save({ baseUrl, model, key });
      events.publish('models', { type: 'changed' });
      return saved;
    },
    'settings.get': () => config.settings(),
    'settings.set': async (change) => {
      if (Object.keys(change).length === 0) throw new AppError('request/invalid', 'No setting was named.');
      return saveSettings(config, change);
    },
  };
}
