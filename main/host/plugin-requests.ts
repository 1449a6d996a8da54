/** `plugins.*`: what is installed, and the switch of each. */
import { AppError } from '../../preload/contract/errors.ts';
import type { Plugins } from '../plugins/plugins.ts';
import type { AreaHandlers } from './handlers.ts';

export function pluginRequests(plugins: Pick<Plugins, 'rescan' | 'records' | 'setEnabled'>): AreaHandlers<'plugins'> {
  return {
    'plugins.list': async () => {
      await plugins.rescan();
      return plugins.records();
    },
    'plugins.set': async ({ id, enabled }) => {
      if (!await plugins.setEnabled(id, enabled)) throw new AppError('not-found', `There is no plugin '${id}'.`, { hint: 'See `talaria plugins` for what is installed.' });
      return plugins.records();
    },
  };
}
