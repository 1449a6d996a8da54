import { createContext, useContext } from 'react';
import { useStore } from 'zustand';
import type { Models, ModelsFeature } from './store.ts';

const ModelsContext = createContext<ModelsFeature | undefined>(undefined);

export const ModelsProvider = ModelsContext.Provider;

export function useModelsFeature(): ModelsFeature {
  const feature = useContext(ModelsContext);
  if (feature === undefined) throw new Error('useModelsFeature was called outside ModelsProvider.');
  return feature;
}

export function useModels<Part>(select: (state: Models) => Part): Part {
  return useStore(useModelsFeature().store, select);
}
