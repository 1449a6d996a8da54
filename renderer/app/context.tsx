import { createContext, useContext } from 'react';
import { useStore } from 'zustand';
import type { Layout } from './layout.ts';
import type { Services } from './services.ts';

const ServicesContext = createContext<Services | undefined>(undefined);

export const ServicesProvider = ServicesContext.Provider;

export function useServices(): Services {
  const services = useContext(ServicesContext);
  if (services === undefined) throw new Error('useServices was called outside ServicesProvider.');
  return services;
}

export function useLayout<Part>(select: (layout: Layout) => Part): Part {
  return useStore(useServices().layout, select);
}
