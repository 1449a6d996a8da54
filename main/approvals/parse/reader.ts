/** Reads the words, assignments and redirections of a command in every reading that the line's variables allow. */
import type { Assignment, Redirection, Word } from 'unbash';
import { type Choices, Expander, NONE_OF_THEM, type SubstitutionWalker } from './expand.ts';
import type { FileRedirect, Input, Problem, Setting } from './model.ts';
import type { Place } from './place.ts';
import { UNKNOWN_VALUE, type Value } from './store.ts';
import { type Field, madeField, type Substitution, type Text } from './text.ts';

/** Alternatives of one command that come from variables with several values. */
const MAX_ALTERNATIVES = 16;
/** What a redirection costs, in arguments of the same length. */
const REDIRECTION_COST = 4;
/** Stands for a descriptor whose number only the running shell knows. */
const ANY_DESCRIPTOR = -1;

/** What the reader needs from the walk. */
export interface ReaderHost extends SubstitutionWalker {
  readonly problems: Problem[];
  /** Tells where substitutions met from now on stand. */
  enter(place: Place): void;
}

/** What the redirections of a command say about its input and the files it opens. */
export interface ReadRedirections {
  readonly input: Input | undefined;
  readonly redirects: FileRedirect[];
  readonly start: number;
  readonly end: number;
}

export class WordReader {
  private readonly host: ReaderHost;

  constructor(host: ReaderHost) {
    this.host = host;
  }

  expander(place: Place, choices: Choices): Expander {
    this.host.enter(place);
    return new Expander(this.host, place.source, place.scope, choices);
  }

  expandOnce(word: Word, place: Place): Field[] {
    return this.expander(place, noChoices()).fields(word);
  }

  expandSingle(word: Word, place: Place): Field {
    return this.expander(place, noChoices()).single(word);
  }

  /** Every reading of something that depends on variables with several values. */
  alternatives<T>(place: Place, read: (expander: Expander) => T): T[] {
    const met = new Map<string, number>();
    const results = [read(this.expander(place, { picked: new Map(), met }))];
    if (met.size === 0) return results;
    const names = [...met];
    const product = names.reduce((number, [, count]) => number * count, 1);
    if (product > MAX_ALTERNATIVES) results.push(read(this.expander(place, { picked: new Map(names.map(([name]) => [name, NONE_OF_THEM])), met: new Map() })));
    const total = Math.min(MAX_ALTERNATIVES, product);
    for (let number = 1; number < total; number++) {
      const picked = new Map<string, number>();
      let rest = number;
      for (const [name, count] of names) {
        picked.set(name, rest % count);
        rest = Math.floor(rest / count);
      }
      results.push(read(this.expander(place, { picked, met: new Map() })));
    }
    return results;
  }

  redirections(redirections: readonly Redirection[], place: Place): ReadRedirections {
    const inputs = new Map<number, Input>();
    const redirects: FileRedirect[] = [];
    const affordable = redirections.length === 0 || this.host.charge(redirections.length * REDIRECTION_COST);
    for (const redirection of affordable ? redirections : []) {
      // `{name}<file` opens a descriptor that the shell picks, never the standard input.
      const opened = redirection.descriptor?.type === 'FileDescriptor' ? redirection.descriptor.value : redirection.descriptor === undefined ? undefined : ANY_DESCRIPTOR;
      if (redirection.type === 'HereDoc') {
        inputs.set(opened ?? 0, { kind: 'heredoc', ...this.heredoc(redirection, place) });
      } else if (redirection.target !== undefined) {
        for (const target of this.alternatives(place, (expander) => expander.single(redirection.target as Word))) {
          if (redirection.type === 'HereString') {
            inputs.set(opened ?? 0, { kind: 'here-string', literal: target, substitutions: target.substitutions });
            continue;
          }
          const operator = redirection.operator;
          const copied = operator === '<&' ? /^(\d+)-?$/.exec(target.text)?.[1] : undefined;
          if (copied !== undefined && copied !== '0') inputs.set(opened ?? 0, inputs.get(Number(copied)) ?? { kind: 'file', target: { ...target, text: `/dev/fd/${copied}` } });
          if ((operator === '>&' || operator === '<&') && /^(?:\d+-?|-)$/.test(target.text)) continue;
          const kind = operator === '<' || operator === '<&' ? '<' : operator === '<>' ? '<>' : operator.includes('>>') ? '>>' : '>';
          redirects.push({ operator: kind, descriptor: opened === ANY_DESCRIPTOR ? undefined : opened, target });
          if (kind === '<') inputs.set(opened ?? 0, { kind: 'file', target });
        }
      }
    }
    const first = redirections[0];
    const last = redirections.at(-1);
    return { input: inputs.get(0), redirects, start: place.source.start(first?.pos ?? 0), end: place.source.end(last?.end ?? 0) };
  }

  private heredoc(redirection: Extract<Redirection, { type: 'HereDoc' }>, place: Place): { literal: Text; substitutions: readonly Substitution[] } {
    const { body } = redirection;
    if (redirection.closing === undefined && redirection.delimiter !== undefined) {
      this.host.problems.push({ kind: 'syntax', message: `no line ends the text after ${redirection.delimiter.value}`, start: place.source.start(redirection.pos), end: place.source.end(redirection.end) });
    }
    const start = place.source.start(body.pos);
    const end = place.source.end(body.end);
    if (body.parts === undefined) {
      return { literal: { text: body.text, segments: [{ at: 0, start, end, linear: end - start === body.text.length }] }, substitutions: [] };
    }
    const field = this.expander(place, noChoices()).body(body.parts, start, end);
    return { literal: field, substitutions: field.substitutions };
  }

  argument(word: Word | Assignment, expander: Expander, place: Place): Field[] {
    if (word.type === 'Word') return expander.fields(word);
    const setting = this.assignment(word, place, false);
    const start = place.source.start(word.pos);
    const name = `${word.name}${word.append === true ? '+=' : '='}`;
    const field = madeField(name + setting.value.text, start, place.source.end(word.end));
    const segments = [
      { at: 0, start, end: setting.value.start, linear: false },
      ...setting.value.segments.map((segment) => ({ ...segment, at: segment.at + name.length })),
    ];
    return [{ ...field, segments, substitutions: setting.value.substitutions }];
  }

  assignment(assignment: Assignment, place: Place, keep: boolean): Setting {
    const start = place.source.start(assignment.pos);
    const end = place.source.end(assignment.end);
    if (assignment.index !== undefined) this.expandSingle(assignment.index, place);
    const { scope } = place;
    if (assignment.value.type === 'ArrayValue') {
      const elements = assignment.value.elements.flatMap((word) => this.expandOnce(word, place));
      const values: Value[] = elements.map((field) => ({ text: field.text, substitutions: field.substitutions, glob: field.glob }));
      const before = assignment.append === true ? (scope.store.get(assignment.name)?.elements ?? []) : [];
      const all = [...before, ...values];
      scope.assign(assignment.name, all.slice(0, 1), all);
      return { name: assignment.name, value: madeField(elements.map((field) => field.text).join(' '), start, end), start, end };
    }
    const word = assignment.value;
    const fields = this.alternatives(place, (expander) => expander.single(word));
    const value = fields[0] ?? madeField('', start, end);
    if (keep) {
      const nothing: Value = { text: '', substitutions: [] };
      const before = assignment.append === true ? (scope.store.get(assignment.name)?.values ?? [scope.store.outside(assignment.name)]) : [nothing];
      const values = before.flatMap((old) => fields.map((field) => ({ text: old.text + field.text, substitutions: [...old.substitutions, ...field.substitutions] })));
      scope.assign(assignment.name, assignment.index === undefined ? values : [UNKNOWN_VALUE]);
      if (assignment.name === 'BASH_ALIASES' && assignment.index !== undefined) scope.alias(this.expandSingle(assignment.index, place).text, value.text);
    }
    return { name: assignment.name, value, start, end };
  }
}

/** Each variable in its first reading. */
export function noChoices(): Choices {
  return { picked: new Map(), met: new Map() };
}
