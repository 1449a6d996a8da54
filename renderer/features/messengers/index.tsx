/** The public door: the section of the settings about messengers. */
import type { SettingsSection } from '../../ui/frame.tsx';
import { Messengers } from './messengers.tsx';

export const MessengersSection: SettingsSection = { id: 'messengers', title: 'Messengers', Component: Messengers };
