/** Walks a shell syntax tree and lists every command that would be started, wrappers and nested scripts included. */
import {
  type ArithmeticCommandExpansion, type Assignment, type Command, type CommandNode, type CompoundCommand, type CompoundList, type Coproc, type Function as FunctionNode, parse,
  type ParsedScript, type Pipeline, type PipelineNode, type Statement, type TestExpression, type Word, type WordPart, type AndOr,
} from 'unbash';
import { applyBuiltin } from './builtins.ts';
import { selfCalls } from './forkbomb.ts';
import { literalOutput } from './literal.ts';
import type { Inner, Invocation, Problem, WalkResult } from './model.ts';
import { blockSource, feedWriters, type Place, programName, range } from './place.ts';
import { noChoices, type ReaderHost, WordReader } from './reader.ts';
import { Scope, type Value } from './scope.ts';
import { madeField, type Source, type Substitution, textSource, UNKNOWN } from './text.ts';

/** Commands in one line before the walk gives up and the line is refused; about 20 µs each, within the 50 ms of design 6. */
const MAX_COMMANDS = 1_000;
/** Scripts inside scripts, wrappers around wrappers. */
const MAX_DEPTH = 40;
/** Characters parsed again inside substitutions and payloads, in all; nested text is read once per level. */
const MAX_NESTED_CHARS = 250_000;
/** Times that a line with errors is read on behind one. */
const MAX_RESUMED = 5;
/** Arguments of all commands together. */
const MAX_FIELDS = 20_000;

/** Finds what a command runs in turn: the argv behind a wrapper, the script of `sh -c`. */
export type Unwrap = (command: Invocation, all: readonly Invocation[]) => readonly Inner[];

/**
 * Lists the commands of `source` in the order in which they are written.
 * Never throws for any text; what cannot be read is in `problems`.
 */
export function walkSource(source: Source, unwrap: Unwrap, environment: ReadonlyMap<string, string>): WalkResult {
  const walk = new Walk(unwrap, environment);
  try {
    walk.run(source);
  } catch (error) {
    // The parser and this walk recurse; text that is deeper than the stack is refused, not passed.
    if (!(error instanceof RangeError)) throw error;
    walk.problems.push({ kind: 'limit', message: 'nested too deeply to read', start: 0, end: source.end(source.text.length) });
  }
  return { invocations: walk.invocations, problems: walk.problems };
}

class Walk implements ReaderHost {
  readonly invocations: Invocation[] = [];
  readonly problems: Problem[] = [];
  readonly environment: ReadonlyMap<string, string>;
  private readonly unwrap: Unwrap;
  private substitutions = new Map<unknown, { substitution: Substitution; output: string | undefined }>();
  private place: Place | undefined;
  private readonly words: WordReader;
  private nestedChars = 0;
  private fieldCount = 0;
  private resumed = 0;
  /** A bound was passed: nothing more is read, the line is refused. */
  private stopped = false;

  constructor(unwrap: Unwrap, environment: ReadonlyMap<string, string>) {
    this.unwrap = unwrap;
    this.environment = environment;
    this.words = new WordReader(this);
  }

  enter(place: Place): void {
    this.place = place;
  }

  run(source: Source): void {
    const scope = new Scope();
    scope.directory = this.environment.get('PWD');
    const place: Place = { source, scope, depth: 0, parent: undefined, input: undefined, background: false, maybe: false };
    this.script(parse(source.text), place);
    for (const routine of scope.routines.values()) {
      if (!routine.called) this.body(routine.node, { ...place, source: routine.source, scope: scope.withPositional(undefined), maybe: true });
    }
  }

  substitution(part: WordPart | ArithmeticCommandExpansion, source: Source, scope: Scope): { substitution: Substitution; output: string | undefined } {
    const known = this.substitutions.get(part);
    if (known !== undefined) return known;
    const kind = part.type === 'ProcessSubstitution' ? (part.operator === '>' ? 'writes' : 'reads') : 'output';
    const result: { substitution: Substitution; output: string | undefined } = { substitution: { kind, commands: [] }, output: undefined };
    this.substitutions.set(part, result);
    const place = this.place;
    if (place === undefined || this.stopped || !this.affordable(part.end - part.pos, source.start(part.pos), source.end(part.end))) return result;
    const script = 'script' in part ? part.script : undefined;
    if (script === undefined) return result;
    const inner: Source = script.source === undefined ? source : blockSource(script.source, source.start(part.pos), source.end(part.end));
    const from = this.invocations.length;
    this.script(script, { ...place, source: inner, scope, input: kind === 'writes' ? { kind: 'pipe', producers: { from: 0, to: 0, also: [] }, literal: undefined } : undefined, background: false });
    const commands = range(from, this.invocations.length);
    result.output = this.outputOf(script, from);
    result.substitution = result.output === undefined ? { kind, commands } : { kind, commands, output: result.output };
    return result;
  }

  private outputOf(script: ParsedScript, from: number): string | undefined {
    if (script.commands.length !== 1) return script.commands.length === 0 ? '' : undefined;
    const command = script.commands[0]?.command;
    if (command?.type !== 'Command' && command?.type !== 'Pipeline') return undefined;
    const top = this.invocations.slice(from).filter((invocation) => invocation.depth === (this.invocations[from]?.depth ?? 0));
    const last = top.at(-1);
    if (last === undefined || (command.type === 'Command' && top.length !== 1) || last.redirects.length > 0) return undefined;
    return literalOutput(last)?.text;
  }

  /** Text seen again is charged; over the limit the rest stays unread and the line is refused. */
  private affordable(chars: number, start: number, end: number): boolean {
    this.nestedChars += chars;
    if (this.nestedChars <= MAX_NESTED_CHARS && this.invocations.length <= MAX_COMMANDS) return true;
    this.limit('too much nested or repeated text to read', start, end);
    return false;
  }

  /** Arguments made by expansion are counted; false when there are too many. */
  charge(fields: number): boolean {
    this.fieldCount += fields;
    if (this.fieldCount > MAX_FIELDS) this.limit('too many arguments', 0, 0);
    return !this.stopped;
  }

  private limit(message: string, start: number, end: number): void {
    this.stopped = true;
    if (!this.problems.some((problem) => problem.kind === 'limit')) this.problems.push({ kind: 'limit', message, start, end });
  }

  private script(script: ParsedScript, place: Place): void {
    const before = this.place;
    this.place = place;
    const from = this.invocations.length;
    for (const statement of script.commands) this.statement(statement, place);
    for (const error of (script.errors ?? []).slice(0, 20)) this.syntaxError(error, place, from);
    const first = script.errors?.[0];
    if (first !== undefined) this.resume(first.pos, place);
    this.place = before;
  }

  /** Reads on behind a token that does not fit: what follows may still be a command to another shell, or after an edit. */
  private resume(position: number, place: Place): void {
    const { text } = place.source;
    const skipped = /^[\s;&|)}]+/.exec(text.slice(position))?.[0].length ?? 0;
    const next = position + skipped;
    if (skipped === 0 || next >= text.length || this.resumed >= MAX_RESUMED) return;
    this.resumed++;
    const source: Source = { ...place.source, text: ' '.repeat(next) + text.slice(next) };
    this.script(parse(source.text), { ...place, source });
  }

  private syntaxError(error: { message: string; pos: number }, place: Place, from: number): void {
    const start = place.source.start(Math.min(error.pos, place.source.text.length));
    const end = Math.max(start, place.source.end(Math.min(error.pos + 1, place.source.text.length)));
    const kind = error.message.startsWith('maximum') ? 'limit' : /unterminated .*quote/.test(error.message) && this.readsPrograms(from, start) ? 'malformed' : 'syntax';
    this.problems.push({ kind, message: error.message, start, end });
  }

  /** Whether the command that an unterminated quote belongs to searches for, or runs, the quoted text. */
  private readsPrograms(from: number, position: number): boolean {
    const command = this.invocations.slice(from).findLast((invocation) => invocation.start <= position && invocation.depth === (this.place?.depth ?? 0));
    return command !== undefined && /^(?:[efz]?grep|rg|ag|ack|(?:ba|z|k|da|a|mk)?sh|fish|python[\d.]*|node|perl|ruby|php|bun|deno)$/.test(command.name);
  }

  private list(list: CompoundList, place: Place): void {
    for (const statement of list.commands) this.statement(statement, place);
  }

  private statement(statement: Statement, place: Place): void {
    if (this.stopped) return;
    const inner = statement.background === true ? { ...place, background: true } : place;
    this.node(statement.command, inner);
  }

  private node(node: PipelineNode | AndOr, place: Place): void {
    switch (node.type) {
      case 'AndOr':
        for (const [index, command] of node.commands.entries()) if (!this.stopped) this.node(command, index === 0 || node.operators[index - 1] === '&&' ? place : { ...place, maybe: true });
        break;
      case 'Pipeline':
        this.pipeline(node, place);
        break;
      default:
        this.commandNode(node, place);
    }
  }

  private pipeline(node: Pipeline, place: Place): void {
    let input = place.input;
    const from = this.invocations.length;
    for (const [index, command] of node.commands.entries()) {
      if (this.stopped) return;
      const begin = this.invocations.length;
      this.commandNode(command, { ...place, input });
      if (index + 1 === node.commands.length) break;
      const last = this.invocations[begin];
      const redirected = last?.redirects.some((redirect) => redirect.operator !== '<' && redirect.descriptor !== 2) ?? false;
      const literal = command.type === 'Command' && last !== undefined && !redirected ? literalOutput(last) : undefined;
      input = { kind: 'pipe', producers: { from, to: this.invocations.length, also: [] }, literal };
    }
  }

  private commandNode(node: CommandNode, place: Place): void {
    switch (node.type) {
      case 'Command':
        this.command(node, place);
        break;
      case 'Redirected': {
        const { input, redirects, start, end } = this.words.redirections(node.redirects, place);
        if (redirects.length > 0) this.add({ argv: [], settings: [], redirects, input, start, end }, place);
        this.compound(node.command, { ...place, input: input ?? place.input });
        break;
      }
      case 'Function':
        this.define(node, place);
        break;
      case 'Coproc':
        this.coproc(node, place);
        break;
      default:
        this.compound(node, place);
    }
  }

  private coproc(node: Coproc, place: Place): void {
    const inner = { ...place, background: true };
    if (node.body.type === 'CompoundList') this.list(node.body, inner);
    else this.commandNode(node.body, inner);
  }

  private define(node: FunctionNode, place: Place): void {
    const name = node.name.value;
    place.scope.routines.set(name, { node, source: place.source, called: false, active: 0 });
    if (selfCalls(node) === 'bomb') {
      this.problems.push({ kind: 'fork-bomb', message: `${name} starts itself again and again`, start: place.source.start(node.pos), end: place.source.end(node.end) });
    }
  }

  private body(node: FunctionNode, place: Place): void {
    const before = this.place;
    this.place = place;
    if (node.body.type === 'CompoundList') this.list(node.body, place);
    else this.commandNode(node.body, place);
    this.place = before;
  }

  private compound(node: CompoundCommand, place: Place): void {
    const branch = { ...place, maybe: true };
    switch (node.type) {
      case 'Subshell':
        this.list(node.body, { ...place, scope: place.scope.withPositional(place.scope.positional) });
        break;
      case 'BraceGroup':
        this.list(node.body, place);
        break;
      case 'If':
        this.list(node.clause, place);
        this.list(node.then, branch);
        for (const elif of node.elif) {
          this.list(elif.clause, branch);
          this.list(elif.then, branch);
        }
        if (node.else !== undefined) this.list(node.else, branch);
        break;
      case 'While':
        this.list(node.clause, branch);
        this.list(node.body, branch);
        break;
      case 'For':
      case 'Select': {
        const values = (node.wordlist ?? []).flatMap((word) => this.words.expandOnce(word, place));
        const known: Value[] = values.map((field) => ({ text: field.text, substitutions: field.substitutions }));
        if (node.wordlist === undefined) known.push(...(place.scope.positional ?? [{ text: UNKNOWN, substitutions: [] }]));
        place.scope.assign(node.name.value, known, true);
        this.list(node.body, branch);
        break;
      }
      case 'ArithmeticFor': {
        const expander = this.words.expander(place, noChoices());
        for (const expression of [node.initialize, node.test, node.update]) expander.arithmetic(expression);
        this.list(node.body, branch);
        break;
      }
      case 'Case':
        this.words.expandSingle(node.word, place);
        for (const item of node.items) {
          for (const pattern of item.pattern) this.words.expandSingle(pattern, place);
          this.list(item.body, branch);
        }
        break;
      case 'TestCommand':
        this.test(node.expression, place);
        break;
      case 'ArithmeticCommand':
        this.words.expander(place, noChoices()).arithmetic(node.expression);
        break;
    }
  }

  private test(expression: TestExpression, place: Place): void {
    switch (expression.type) {
      case 'TestUnary':
        this.words.expandSingle(expression.operand, place);
        break;
      case 'TestBinary':
        this.words.expandSingle(expression.left, place);
        this.words.expandSingle(expression.right, place);
        break;
      case 'TestLogical':
        for (const operand of expression.operands) this.test(operand, place);
        break;
      case 'TestNot':
        this.test(expression.operand, place);
        break;
      case 'TestGroup':
        this.test(expression.expression, place);
        break;
    }
  }

  private command(node: Command, place: Place): void {
    const { input, redirects } = this.words.redirections(node.redirects, place);
    const words: (Word | Assignment)[] = node.name === undefined ? [...node.args] : [node.name, ...node.args];
    const start = place.source.start(node.pos);
    const end = place.source.end(node.end);
    const prefix = node.prefix.filter((item): item is Assignment => item.type === 'Assignment');
    const settings = prefix.map((assignment) => this.words.assignment(assignment, place, words.length === 0));
    if (!this.charge(words.length)) return;
    const readings = words.length === 0 ? [[]] : this.words.alternatives(place, (expander) => words.flatMap((word) => this.words.argument(word, expander, place)));
    for (const argv of readings) {
      const index = this.add({ argv, settings, redirects, input: input ?? place.input, start, end }, place);
      const command = this.invocations[index];
      if (command === undefined) return;
      for (const field of argv) feedWriters(field.substitutions, index, this.invocations);
      for (const redirect of redirects) feedWriters(redirect.target.substitutions, index, this.invocations);
      applyBuiltin(command, place.scope, place.maybe);
      this.callRoutine(command, place);
      this.runInner(command, place);
    }
  }

  private add(parts: Pick<Invocation, 'argv' | 'settings' | 'redirects' | 'input' | 'start' | 'end'>, place: Place): number {
    const index = this.invocations.length;
    if (index > MAX_COMMANDS) {
      this.limit('too many commands', parts.start, parts.end);
      return index - 1;
    }
    this.invocations.push({
      ...parts,
      index,
      name: programName(parts.argv[0]?.text),
      parent: place.parent,
      depth: place.depth,
      background: place.background,
      directory: place.scope.directory,
    });
    return index;
  }

  private callRoutine(command: Invocation, place: Place): void {
    const first = command.argv[0]?.text;
    const routine = first === undefined ? undefined : place.scope.routines.get(first);
    if (routine === undefined || routine.active > 0) return;
    const affordable = this.affordable(routine.node.end - routine.node.pos, command.start, command.end);
    if (!affordable) return;
    routine.called = true;
    routine.active++;
    const positional = command.argv.slice(1).map((field): Value => ({ text: field.splits ? UNKNOWN : field.text, substitutions: field.substitutions, glob: field.glob }));
    const outer = this.substitutions;
    this.substitutions = new Map();
    this.body(routine.node, { ...place, source: routine.source, scope: place.scope.withPositional(positional), input: command.input, depth: place.depth + 1, parent: command.index });
    this.substitutions = outer;
    routine.active--;
  }

  private runInner(command: Invocation, place: Place): void {
    const alias = command.argv[0] === undefined ? undefined : place.scope.aliases.get(command.argv[0].text);
    for (const inner of this.unwrap(command, this.invocations)) this.inner(inner, command, place);
    if (alias !== undefined) this.inner({ kind: 'script', text: madeField(alias, command.start, command.end) }, command, place);
  }

  private inner(inner: Inner, command: Invocation, place: Place): void {
    if (this.stopped) return;
    if (place.depth >= MAX_DEPTH) {
      this.limit('commands nested too deeply', command.start, command.end);
      return;
    }
    const deeper: Place = { ...place, depth: place.depth + 1, parent: command.index, input: inner.input ?? command.input };
    if (inner.kind === 'argv') {
      const first = inner.fields[0];
      if (first === undefined) return;
      const end = inner.fields.reduce((last, field) => Math.max(last, field.end), first.end);
      const background = inner.background === true || place.background;
      const within = { ...deeper, background };
      const index = this.add({ argv: inner.fields, settings: inner.settings ?? [], redirects: command.redirects, input: deeper.input, start: first.start, end }, within);
      const started = this.invocations[index];
      if (started === undefined || started === command) return;
      this.callRoutine(started, within);
      this.runInner(started, within);
      return;
    }
    if (!this.affordable(inner.text.text.length, command.start, command.end)) return;
    const source = textSource(inner.text);
    const positional = inner.positional?.map((field): Value => ({ text: field.text, substitutions: field.substitutions }));
    this.script(parse(source.text), { ...deeper, source, scope: place.scope.withPositional(positional ?? place.scope.positional) });
    this.place = place;
  }
}
