/** The permanent allowlist as a value. Pure. */
import type { AllowlistEntry } from '../../../preload/contract/approvals.ts';

export interface AllowlistModel {
  readonly status: 'loading' | 'ready' | 'failed';
  readonly failure: string | undefined;
  readonly entries: readonly AllowlistEntry[];
}

export const emptyAllowlist: AllowlistModel = { status: 'loading', failure: undefined, entries: [] };

export const KIND_WORDS: Readonly<Record<AllowlistEntry['kind'], { readonly word: string; readonly meaning: string }>> = {
  'description': { word: 'kind', meaning: 'Lets through every command that is stopped for this reason' },
  'legacy-key': { word: 'old key', meaning: 'Lets through every command that this pattern of an older version matches' },
  'literal': { word: 'exact', meaning: 'Lets through exactly this command' },
  'glob': { word: 'pattern', meaning: 'Lets through every simple command that this pattern matches' },
};

/** Entries that hold every word of the query in their text or in where they came from. */
export function matchingEntries(entries: readonly AllowlistEntry[], query: string): readonly AllowlistEntry[] {
  const words = query.toLowerCase().split(/\s+/).filter((word) => word !== '');
  if (words.length === 0) return entries;
  return entries.filter((entry) => {
    const text = `${entry.entry}\n${entry.createdFrom ?? ''}\n${KIND_WORDS[entry.kind].word}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** Drawn as removed before the host has answered. */
export function withoutEntry(model: AllowlistModel, entry: string): AllowlistModel {
  return { ...model, entries: model.entries.filter((candidate) => candidate.entry !== entry) };
}
