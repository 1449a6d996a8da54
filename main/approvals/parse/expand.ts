/** Words to arguments, the way bash does it, as far as the line itself tells the values. */
import { type ArithmeticCommandExpansion, type ArithmeticExpression, parse, type DoubleQuotedChild, type ParameterExpansionPart, type Word, type WordPart } from 'unbash';
import { expandBraces, expandedCount, MAX_RESULTS } from './braces.ts';
import { Builder } from './builder.ts';
import { applyOperation, operandsOf, slicedList } from './parameters.ts';
import type { Scope } from './scope.ts';
import { UNKNOWN_VALUE, type Value } from './store.ts';
import { type Field, HOME, type Source, type Substitution, UNKNOWN } from './text.ts';

/** What the expander needs from the walk: the commands inside a substitution, each walked once. */
export interface SubstitutionWalker {
  substitution(part: WordPart | ArithmeticCommandExpansion, source: Source, scope: Scope): { substitution: Substitution; output: string | undefined };
  /** Counts arguments that an expansion makes; false when the line has made too many. */
  charge(fields: number): boolean;
  /** Reports an expansion that nobody can look at; the line is asked about. */
  tooLarge(message: string, start: number, end: number): void;
}

/** Which alternative of each many-valued variable this pass uses, and which such variables were met. */
export interface Choices {
  readonly picked: ReadonlyMap<string, number>;
  readonly met: Map<string, number>;
}

/** Picked for every variable when there are too many combinations to try. */
export const NONE_OF_THEM = -1;

/** Words made by the braces of one word above which the line is asked about: the shell itself may not live through it. */
const MAX_WORDS = 100_000;

/** Operators of `${v…}` that give the operand or the value. */
const DEFAULTS = new Set(['-', ':-', '=', ':=', '+', ':+', '?', ':?']);

export class Expander {
  private readonly walker: SubstitutionWalker;
  private readonly source: Source;
  private readonly scope: Scope;
  private readonly choices: Choices;

  constructor(walker: SubstitutionWalker, source: Source, scope: Scope, choices: Choices) {
    this.walker = walker;
    this.source = source;
    this.scope = scope;
    this.choices = choices;
  }

  /** The arguments that a word of a command makes: none, one or several. */
  fields(word: Word): Field[] {
    if (word.parts?.some((part) => part.type === 'BraceExpansion') === true) return this.braced(word);
    const builder = new Builder(this.source.start(word.pos), this.source.end(word.end), this.separators());
    this.addWord(builder, word, false);
    this.sized(builder, word);
    return builder.finish();
  }

  private sized(builder: Builder, word: Word): void {
    if (builder.overflowed) this.walker.tooLarge('makes a word that is too long to look at', this.source.start(word.pos), this.source.end(word.end));
  }

  /** The one value that a word makes where bash does not split: assignments, redirections, `case`, here-strings. */
  single(word: Word): Field {
    const builder = new Builder(this.source.start(word.pos), this.source.end(word.end), undefined);
    this.addWord(builder, word, false);
    this.sized(builder, word);
    return builder.finish()[0] ?? builder.empty();
  }

  /** The text of a heredoc body whose marker is not quoted. */
  body(parts: readonly WordPart[], start: number, end: number): Field {
    const builder = new Builder(start, end, undefined);
    for (const part of parts) this.addPart(builder, part, true);
    return builder.finish()[0] ?? builder.empty();
  }

  /** Walks substitutions in an arithmetic expression; its value is not needed. Long sums nest deeply, so no recursion. */
  arithmetic(expression: ArithmeticExpression | undefined): void {
    const waiting: ArithmeticExpression[] = expression === undefined ? [] : [expression];
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
      if (node.type === 'ArithmeticCommandExpansion') this.walker.substitution(node, this.source, this.scope);
      else if (node.type === 'ArithmeticWord') {
        const builder = new Builder(0, 0, undefined);
        for (const part of node.parts ?? []) this.addPart(builder, part, true);
      } else {
        for (const child of Object.values(node) as unknown[]) {
          if (typeof child === 'object' && child !== null && 'type' in child) waiting.push(child as ArithmeticExpression);
        }
      }
    }
  }

  private separators(): string {
    const ifs = this.scope.store.variables.get('IFS')?.values;
    return ifs?.length === 1 && ifs[0] !== undefined && ifs[0].text !== UNKNOWN ? ifs[0].text : ' \t\n';
  }

  private braced(word: Word): Field[] {
    const start = this.source.start(word.pos);
    const end = this.source.end(word.end);
    const spellings = expandBraces(word.text);
    const unknown: Field = { text: UNKNOWN, segments: [{ at: 0, start, end, linear: false }], start, end, glob: true, splits: true, bare: false, substitutions: [] };
    if (spellings === undefined) {
      // Trying costs as much as making that many.
      if (!this.walker.charge(MAX_RESULTS)) return [unknown];
      if (expandedCount(word.text) > MAX_WORDS) this.walker.tooLarge('makes more words than can be looked at', start, end);
      // Substitutions in a word too wide to expand still run.
      const builder = new Builder(start, end, undefined);
      for (const part of word.parts ?? []) this.addPart(builder, part, true);
      return [unknown];
    }
    if (spellings.length === 1) {
      const builder = new Builder(start, end, this.separators());
      this.addWord(builder, word, true);
      return builder.finish();
    }
    const fields: Field[] = [];
    for (const spelling of spellings) {
      const source: Source = { text: `: ${spelling}`, start: () => start, end: () => end };
      const inner = new Expander(this.walker, source, this.scope, this.choices);
      const statement = parse(source.text).commands[0]?.command;
      if (statement?.type !== 'Command') return [unknown];
      for (const argument of statement.suffix) {
        if (argument.type === 'Word') {
          const builder = new Builder(start, end, this.separators());
          inner.addWord(builder, argument, true);
          builder.glob = true;
          fields.push(...builder.finish());
        }
      }
    }
    return fields;
  }

  private addWord(builder: Builder, word: Word, bracesDone: boolean): void {
    if (word.parts === undefined) {
      const bare = word.text === word.value;
      this.addLiteral(builder, word.value, word.pos, word.end, bare, true);
      return;
    }
    for (const [index, part] of word.parts.entries()) {
      if (part.type === 'BraceExpansion' && bracesDone) builder.add(part.text, this.source.start(part.pos), this.source.end(part.end), false);
      else if (part.type === 'Literal') this.addLiteral(builder, part.value, part.pos, part.end, part.text === part.value, index === 0);
      else this.addPart(builder, part, false);
    }
  }

  private addLiteral(builder: Builder, value: string, pos: number, end: number, bare: boolean, first: boolean): void {
    const start = this.source.start(pos);
    const stop = this.source.end(end);
    if (!bare) builder.bare = false;
    // bash opens no tilde behind `${IFS}`; other shells, and whoever writes it so, may.
    const tilde = (first || builder.afterBreak) && this.source.text[pos] === '~' ? /^~[\w.-]*(?=\/|$)/.exec(value)?.[0] : undefined;
    const own = tilde === '~' || (tilde !== undefined && tilde.slice(1) === this.scope.store.environment.get('USER'));
    if (tilde === undefined || (!own && tilde !== '~root')) {
      builder.add(value, start, stop, bare && stop - start === value.length);
      return;
    }
    builder.add(own ? HOME : '/root', start, start + tilde.length, false);
    builder.add(value.slice(tilde.length), start + tilde.length, stop, bare);
  }

  private addPart(builder: Builder, part: WordPart | DoubleQuotedChild, quoted: boolean): void {
    const start = this.source.start(part.pos);
    const end = this.source.end(part.end);
    if (part.type !== 'Literal' && part.type !== 'Glob') builder.bare = false;
    switch (part.type) {
      case 'Literal':
        builder.add(part.value, start, end, part.text === part.value && end - start === part.value.length);
        break;
      case 'SingleQuoted':
        builder.quoted(part.value, start + 1, end - 1, end - start === part.value.length + 2);
        break;
      case 'AnsiCQuoted':
        builder.quoted(part.value, start, end, false);
        break;
      case 'DoubleQuoted':
      case 'LocaleString':
        builder.quoted('', start, end, false);
        for (const child of part.parts) this.addPart(builder, child, true);
        break;
      case 'Glob':
        builder.glob = true;
        builder.add(part.text, start, end, end - start === part.text.length);
        break;
      case 'ExtendedGlob':
        builder.glob = true;
        builder.add(`*`, start, end, false);
        for (const child of part.parts ?? []) this.addPart(new Builder(start, end, undefined), child, true);
        break;
      case 'BraceExpansion':
        for (const child of part.parts ?? []) this.addPart(new Builder(start, end, undefined), child, true);
        builder.add(part.text, start, end, false);
        break;
      case 'SimpleExpansion':
        this.addValues(builder, this.lookUp(part.text.slice(1), quoted), start, end, quoted);
        break;
      case 'ParameterExpansion':
        this.addValues(builder, this.parameter(part, quoted), start, end, quoted);
        break;
      case 'CommandExpansion': {
        const { substitution, output } = this.walker.substitution(part, this.source, this.scope);
        builder.substitutions.push(substitution);
        builder.value(output === undefined ? UNKNOWN : output.replace(/\n+$/, ''), start, end, quoted);
        break;
      }
      case 'ArithmeticExpansion':
        this.arithmetic(part.expression);
        builder.add(UNKNOWN, start, end, false);
        break;
      case 'ProcessSubstitution': {
        builder.substitutions.push(this.walker.substitution(part, this.source, this.scope).substitution);
        builder.add('/dev/fd/63', start, end, false);
        break;
      }
    }
  }

  private addValues(builder: Builder, values: readonly Value[], start: number, end: number, quoted: boolean): void {
    if (values.length > 1 && !this.walker.charge(values.length)) return;
    for (const [index, value] of values.entries()) {
      if (index > 0) builder.breakField();
      builder.substitutions.push(...value.substitutions);
      if (value.glob === true) builder.glob = true;
      builder.value(value.text, start, end, quoted);
    }
  }

  /** The value of a variable; several for `$@` and arrays. */
  private lookUp(name: string, quoted: boolean, index?: string): readonly Value[] {
    if (name === 'IFS' && !this.scope.store.variables.has('IFS')) return [{ text: quoted ? UNKNOWN : ' ', substitutions: [] }];
    if (name === '@' || name === '*') return this.scope.positional ?? this.unknownArguments(name);
    if (/^[0-9]+$/.test(name)) return [this.positional(Number(name))];
    const variable = this.scope.valuesOf(name);
    if (variable === undefined) return [this.scope.store.outside(name)];
    if (index !== undefined && variable.elements !== undefined) {
      if (index === '@' || index === '*') return variable.elements;
      return [variable.elements[Number(index)] ?? UNKNOWN_VALUE];
    }
    const count = variable.values.length;
    if (count > 1) this.choices.met.set(name, count);
    const picked = this.choices.picked.get(name) ?? 0;
    return [picked === NONE_OF_THEM ? UNKNOWN_VALUE : (variable.values[picked % Math.max(count, 1)] ?? UNKNOWN_VALUE)];
  }

  /** The arguments of a line that was given none, or by somebody else: `r$@m` is `rm` when there are none. */
  private unknownArguments(name: string): readonly Value[] {
    this.choices.met.set(name, 2);
    return this.choices.picked.get(name) === 1 ? [] : [UNKNOWN_VALUE];
  }

  /** `${v+x}`: x when v is set, nothing when it is not, and both in turn when only the shell knows. */
  private insteadOf(name: string, values: readonly Value[], given: Value): readonly Value[] {
    if (values.every((value) => value.text === '')) return [{ text: '', substitutions: [] }];
    if (!values.some((value) => value.text.includes(UNKNOWN))) return [given];
    this.choices.met.set(`${name}+`, 2);
    return this.choices.picked.get(`${name}+`) === 1 ? [{ text: '', substitutions: [] }] : [given];
  }

  private positional(index: number): Value {
    if (index === 0) return this.scope.self ?? { text: 'bash', substitutions: [] };
    if (this.scope.positional === undefined) return UNKNOWN_VALUE;
    return this.scope.positional[index - 1] ?? { text: '', substitutions: [] };
  }

  private parameter(part: ParameterExpansionPart, quoted: boolean): readonly Value[] {
    const { operation } = part;
    const operandText = (word: { text: string; value: string } | undefined): string => (word === undefined ? '' : this.single(word as Word).text);
    if (part.index !== undefined) operandText(part.index);
    // Substitutions in a word that the value decides not to use may run all the same.
    for (const word of operandsOf(operation)) operandText(word);
    if (part.prefix === '#') return [UNKNOWN_VALUE];
    if (part.parameter === 'IFS' && !this.scope.store.variables.has('IFS')) return [{ text: quoted ? UNKNOWN : ' ', substitutions: [] }];
    if (part.prefix === '!') {
      const target = this.lookUp(part.parameter, quoted)[0]?.text ?? UNKNOWN;
      return /^\w+$/.test(target) ? this.lookUp(target, quoted) : [UNKNOWN_VALUE];
    }
    const values = this.lookUp(part.parameter, quoted, part.index?.value);
    if (operation === undefined) return values;
    const isList = /^[@*]$/.test(part.index?.value ?? part.parameter);
    if (operation.type === 'Slice' && isList) {
      const all = part.index === undefined ? [this.positional(0), ...values] : values;
      return slicedList(all, operandText(operation.offset), operation.length === undefined ? undefined : operandText(operation.length));
    }
    if (operation.type === 'Default' && DEFAULTS.has(operation.operator)) {
      const operand = this.single(operation.operand);
      const given: Value = { text: operand.text, substitutions: operand.substitutions };
      if (operation.operator.endsWith('?')) return values;
      if (operation.operator.endsWith('+')) return this.insteadOf(part.parameter, values, given);
      const known = values.every((value) => value.text !== '' && !value.text.includes(UNKNOWN));
      if (!known && operation.operator.endsWith('=')) this.scope.assignMaybe(part.parameter, [given]);
      return known ? values : [given];
    }
    return values.map((value) => ({
      text: value.text === HOME && operation.type === 'Remove' ? HOME : applyOperation(value.text, operation, operandText),
      substitutions: value.substitutions,
    }));
  }
}
