/** Where the walk stands: what is parsed, what is known there, and what lies around it. */
import type { Input, Invocation } from './model.ts';
import type { Scope } from './scope.ts';
import type { Source, Substitution } from './text.ts';

export interface Place {
  readonly source: Source;
  readonly scope: Scope;
  readonly depth: number;
  readonly parent: number | undefined;
  readonly input: Input | undefined;
  readonly background: boolean;
}

/** The numbers from `from` up to, not including, `to`. */
export function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index);
}

/** A source that stands, as a whole, for one range of the original. */
export function blockSource(text: string, start: number, end: number): Source {
  return { text, start: () => start, end: () => end };
}

/** The program's name without its folder, in lower case, without `.exe`, `.com`, `.cmd`, `.bat`. */
export function programName(word: string | undefined): string {
  if (word === undefined) return '';
  const base = word.slice(Math.max(word.lastIndexOf('/'), word.lastIndexOf('\\')) + 1);
  const name = base === '' ? word : base;
  if (/^%comspec%$/i.test(name)) return 'cmd';
  return name.toLowerCase().replace(/\.(?:exe|com|cmd|bat)$/, '');
}

/** The commands in `>(…)` read what this command writes. */
export function feedWriters(substitutions: readonly Substitution[], producer: number, all: readonly Invocation[]): void {
  for (const substitution of substitutions) {
    if (substitution.kind !== 'writes') continue;
    for (const index of substitution.commands) {
      const input = all[index]?.input;
      const own = all[producer]?.input;
      if (input?.kind !== 'pipe') continue;
      input.producers.also.push(producer);
      if (own?.kind === 'pipe') for (let each = own.producers.to - 1; each >= own.producers.from && input.producers.also.length < 200; each--) input.producers.also.push(each);
    }
  }
}

/** What the commands from `from` on are, to tell one walk of the same text from another. */
export function signature(invocations: readonly Invocation[], from: number): string {
  const text = (field: { readonly text: string }): string => field.text;
  return invocations.slice(from).map((each) => [each.start, each.directory, ...each.argv.map(text), '=', ...each.settings.map((setting) => setting.value.text), '>', ...each.redirects.map((redirect) => redirect.target.text)].join('\0')).join('\n');
}
