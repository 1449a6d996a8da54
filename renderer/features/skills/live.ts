/** The list of skills, what is open on the page, and what was typed but not saved: kept while the page is not shown. */
import { useEffect } from 'react';
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { SkillInfo, SkillList } from '../../../preload/contract/index.ts';
import { bridge } from '../../bridge.ts';
import { failureWords } from '../../ui/failure.ts';
import { showFailure } from '../../ui/show-failure.ts';
import { toasts } from '../../ui/toasts.tsx';
import { withSwitched } from './model.ts';

export type SkillsPlace =
  | { readonly kind: 'list' }
  | { readonly kind: 'new' }
  | { readonly kind: 'skill'; readonly path: string; readonly file: string };

/** A text that is edited. `version` is of the text it began with; null for a file that is not there yet. */
export interface Draft {
  readonly text: string;
  readonly version: string | null;
}
interface NewSkill {
  readonly name: string;
  readonly category: string;
  /** Undefined until the person has changed what stands there. */
  readonly text: string | undefined;
}

interface SkillsModel {
  readonly list: SkillList | undefined;
  readonly failure: string | undefined;
  readonly place: SkillsPlace;
  readonly query: string;
  readonly making: NewSkill;
  /** By skill and file. */
  readonly drafts: ReadonlyMap<string, Draft>;
}

export const NOTHING_MADE: NewSkill = { name: '', category: '', text: undefined };
const store = createStore<SkillsModel>()(() => ({ list: undefined, failure: undefined, place: { kind: 'list' }, query: '', making: NOTHING_MADE, drafts: new Map() }));

const draftKey = (path: string, file: string): string => `${path}\n${file}`;

async function reload(): Promise<void> {
  try {
    store.setState({ list: await bridge.request('skills.list', {}), failure: undefined });
  } catch (error) {
    store.setState({ failure: failureWords(error) });
  }
}

/** Each tells its failure by itself and never rejects. */
async function tell(work: () => Promise<SkillList | undefined>): Promise<void> {
  try {
    const list = await work();
    if (list !== undefined) store.setState({ list });
  } catch (error) {
    showFailure(error);
    await reload();
  }
}

export const skills = {
  reload,
  go(place: SkillsPlace): void { store.setState({ place }); },
  find(query: string): void { store.setState({ query }); },
  make(change: Partial<NewSkill>): void { store.setState(({ making }) => ({ making: { ...making, ...change } })); },
  draft(path: string, file: string, draft: Draft | undefined): void {
    store.setState(({ drafts }) => {
      const next = new Map(drafts);
      if (draft === undefined) next.delete(draftKey(path, file));
      else next.set(draftKey(path, file), draft);
      return { drafts: next };
    });
  },
  set: (path: string, enabled: boolean, platform?: string) => tell(() => {
    store.setState(({ list }) => (list === undefined ? {} : { list: withSwitched(list, path, enabled, platform) }));
    return bridge.request('skills.set', { path, enabled, ...(platform === undefined ? {} : { platform }) });
  }),
  delete: ({ path, name }: SkillInfo) => tell(async () => {
    const { restoreId } = await bridge.request('skills.delete', { path });
    store.setState({ place: { kind: 'list' } });
    toasts.getState().show({ text: `Deleted “${name}”`, undo: { label: 'Undo', run: () => { void tell(() => bridge.request('skills.restore', { restoreId })); } } });
    return bridge.request('skills.list', {});
  }),
  openFolder: (path?: string) => tell(async () => {
    await bridge.request('skills.openFolder', path === undefined ? {} : { path });
    return undefined;
  }),
};

export function useSkills<Part>(select: (model: SkillsModel) => Part): Part {
  return useStore(store, select);
}

export function useDraft(path: string, file: string): Draft | undefined {
  return useSkills(({ drafts }) => drafts.get(draftKey(path, file)));
}

/** Reads the list when the page is shown, when the settings change, and when the person comes back to the window: files are changed elsewhere, too. */
export function useFollowSkills(): void {
  useEffect(() => {
    const read = (): void => { void reload(); };
    const offs = [bridge.subscribe('settings', read), bridge.onStatus((status) => { if (status === 'open') read(); })];
    addEventListener('focus', read);
    return () => {
      removeEventListener('focus', read);
      for (const off of offs) off();
    };
  }, []);
}
