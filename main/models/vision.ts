/** Whether a model is sent pictures: as config.yaml says, else tried once and remembered when the endpoint refuses them. */
import type { Settings } from '../../preload/contract/index.ts';
import type { ConfigStore, Storage } from '../ports.ts';
import { isBlind, type ModelError } from './errors.ts';

export interface Vision {
  sees(model: string, baseUrl: string | undefined): boolean;
  /** The endpoint refused a request because of its pictures. True when it may be asked again without them. */
  refused(model: string, baseUrl: string | undefined, failure: ModelError): boolean;
}

export function createVision(config: Pick<ConfigStore, 'settings'>, values: Storage['values']): Vision {
  const mode = (): Settings['model']['vision'] => config.settings().model.vision;
  const keyOf = (model: string, baseUrl: string | undefined): string => `no-pictures:${baseUrl ?? ''}|${model}`;
  return {
    sees: (model, baseUrl) => (mode() === 'auto' ? values.get(keyOf(model, baseUrl)) === undefined : mode() === 'on'),
    refused(model, baseUrl, failure) {
      if (mode() !== 'auto') return false;
      if (isBlind(failure)) values.set(keyOf(model, baseUrl), 'refused');
      return true;
    },
  };
}
