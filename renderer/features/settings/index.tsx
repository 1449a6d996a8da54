/** The public door of the settings: the sections that the frame lists. The models section is the models feature's own. */
import type { SettingsSection } from '../../ui/frame.tsx';
import { AllowlistSection, ApprovalsSection } from './approvals-section.tsx';
import { GeneralSection } from './general-section.tsx';
import { TerminalsSection } from './terminals-section.tsx';

export const SettingsSections: readonly SettingsSection[] = [
  { id: 'general', title: 'General', Component: GeneralSection },
  { id: 'approvals', title: 'Approvals', Component: ApprovalsSection },
  { id: 'allowlist', title: 'Allowed for good', Component: AllowlistSection },
  { id: 'terminals', title: 'Terminals', Component: TerminalsSection },
];

export { PicturesRow } from './pictures-row.tsx';
export { ConfigProblemBanner } from './config-problem.tsx';
