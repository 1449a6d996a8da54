/** Settings of the modal backend (hermes-runtime 5.2, 6.6, 6.10). */
import { readHostedSettings, type HostedSettings } from '../hosted.ts';
import { DEFAULT_IMAGE, invalidValue, textSetting, type ReadSetting } from '../shell.ts';

/** Modal's list prices for sandboxes: a physical core and a GiB, per hour. */
const PRICES = { cpu: 0.1419, memoryGib: 0.0242 } as const;
export const MODAL_CREDENTIALS = ['MODAL_TOKEN_ID', 'MODAL_TOKEN_SECRET'] as const;

export interface ModalSettings extends HostedSettings {
  readonly image: string;
}

/** Throws `EnvironmentError` that names the variable. */
export function readModalSettings(read: ReadSetting): ModalSettings {
  const mode = textSetting(read, 'TERMINAL_MODAL_MODE', 'terminal.modal_mode') ?? 'auto';
  if (mode !== 'auto' && mode !== 'direct') throw invalidValue('TERMINAL_MODAL_MODE', mode, 'auto or direct; the managed mode goes through a gateway that Talaria does not offer');
  return { ...readHostedSettings(read, PRICES), image: textSetting(read, 'TERMINAL_MODAL_IMAGE', 'terminal.modal_image') ?? DEFAULT_IMAGE };
}
