/** The model connection: onboarding, settings, and the picker of a chat. */
export { ModelsProvider } from './context.tsx';
export { ModelPicker } from './model-picker.tsx';
export { ModelSettings } from './model-settings.tsx';
export { createModels } from './store.ts';
export type { ModelsFeature } from './store.ts';
export { Welcome } from './welcome.tsx';
