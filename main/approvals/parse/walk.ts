/** Walks a shell syntax tree and lists every command that would be started, wrappers and nested scripts included. */
import {
  type AndOr, type ArithmeticCommandExpansion, type Assignment, type Command, type CommandNode, type CompoundList, type Function as FunctionNode, parse, type ParsedScript, type Pipeline, type PipelineNode, type Statement, type Word, type WordPart,
} from 'unbash';
import { Budget } from './budget.ts';
import { applyBuiltin } from './builtins.ts';
import { type CompoundWalker, walkCompound } from './compound.ts';
import { crampedBomb, selfCalls } from './forkbomb.ts';
import { guessedPrograms } from './guesses.ts';
import { type InnerHost, InnerWalker } from './inner.ts';
import { literalOutput } from './literal.ts';
import type { Invocation, Parts, Problem, Unwrap, WalkResult } from './model.ts';
import { blockSource, type Place, programName, range, signature } from './place.ts';
import { type ReaderHost, WordReader } from './reader.ts';
import { Scope } from './scope.ts';
import { Store } from './store.ts';
import type { Source, Substitution } from './text.ts';

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

class Walk implements ReaderHost, CompoundWalker, InnerHost {
  readonly invocations: Invocation[] = [];
  readonly problems: Problem[] = [];
  readonly budget = new Budget(this.problems);
  readonly words = new WordReader(this);
  private readonly inner: InnerWalker;
  private readonly environment: ReadonlyMap<string, string>;
  private substitutions = new Map<unknown, { substitution: Substitution; output: string | undefined }>();
  private place: Place | undefined;

  constructor(unwrap: Unwrap, environment: ReadonlyMap<string, string>) {
    this.environment = environment;
    this.inner = new InnerWalker(this, unwrap);
  }

  enter(place: Place): void {
    this.place = place;
  }

  charge(fields: number): boolean {
    return this.budget.arguments(fields);
  }

  tooLarge(message: string, start: number, end: number): void {
    if (!this.problems.some((problem) => problem.start === start && problem.message === message)) this.problems.push({ kind: 'syntax', message, start, end });
  }

  run(source: Source): void {
    const scope = new Scope(new Store(this.environment));
    const place: Place = { source, scope, depth: 0, parent: undefined, input: undefined, background: false };
    this.script(parse(source.text), place);
    this.inner.walkTraps(scope);
    for (const routine of scope.routines.values()) {
      if (!routine.called) scope.isolated(() => { this.body(routine.node, { ...place, source: routine.source, scope: scope.withPositional(undefined) }); });
    }
  }

  substitution(part: WordPart | ArithmeticCommandExpansion, source: Source, scope: Scope): { substitution: Substitution; output: string | undefined } {
    const known = this.substitutions.get(part);
    if (known !== undefined) return known;
    const kind = part.type === 'ProcessSubstitution' ? (part.operator === '>' ? 'writes' : 'reads') : 'output';
    const result: { substitution: Substitution; output: string | undefined } = { substitution: { kind, commands: [] }, output: undefined };
    this.substitutions.set(part, result);
    const place = this.place;
    if (place === undefined || this.budget.stopped || !this.budget.nested(part.end - part.pos, source.start(part.pos), source.end(part.end))) return result;
    const script = 'script' in part ? part.script : undefined;
    if (script === undefined) return result;
    const inner: Source = script.source === undefined ? source : blockSource(script.source, source.start(part.pos), source.end(part.end));
    const from = this.invocations.length;
    scope.isolated(() => {
      this.script(script, { ...place, source: inner, scope, input: kind === 'writes' ? { kind: 'pipe', producers: { from: 0, to: 0, also: [] }, literal: undefined } : undefined, background: false });
    });
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

  script(script: ParsedScript, place: Place): void {
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
    if (skipped === 0 || next >= text.length || !this.budget.resume()) return;
    const source: Source = { ...place.source, text: ' '.repeat(next) + text.slice(next) };
    this.script(parse(source.text), { ...place, source });
  }

  private syntaxError(error: { message: string; pos: number }, place: Place, from: number): void {
    const start = place.source.start(Math.min(error.pos, place.source.text.length));
    const end = Math.max(start, place.source.end(Math.min(error.pos + 1, place.source.text.length)));
    const kind = error.message.startsWith('maximum') ? 'limit' : /unterminated .*quote/.test(error.message) && this.readsPrograms(from, start) ? 'malformed' : 'syntax';
    this.problems.push({ kind, message: error.message, start, end });
    const bomb = crampedBomb(place.source.text);
    if (bomb !== undefined) this.problems.push({ kind: 'fork-bomb', message: 'the function starts itself again and again', start: place.source.start(bomb.from), end: place.source.end(bomb.to) });
  }

  /** Whether the command that an unterminated quote belongs to searches for, or runs, the quoted text. */
  private readsPrograms(from: number, position: number): boolean {
    const command = this.invocations.slice(from).findLast((invocation) => invocation.start <= position && invocation.depth === (this.place?.depth ?? 0));
    return command !== undefined && /^(?:[efz]?grep|rg|ag|ack|(?:ba|z|k|da|a|mk)?sh|fish|python[\d.]*|node|perl|ruby|php|bun|deno)$/.test(command.name);
  }

  list(list: CompoundList, place: Place): void {
    for (const statement of list.commands) this.statement(statement, place);
  }

  private statement(statement: Statement, place: Place): void {
    if (this.budget.stopped) return;
    if (statement.background !== true) {
      this.node(statement.command, place);
      return;
    }
    place.scope.isolated(() => {
      this.node(statement.command, { ...place, background: true });
    });
  }

  private node(node: PipelineNode | AndOr, place: Place): void {
    switch (node.type) {
      case 'AndOr':
        for (const [index, command] of node.commands.entries()) {
          if (this.budget.stopped) return;
          const walk = (): void => {
            this.node(command, place);
          };
          if (index === 0) walk();
          else place.scope.alternatives([walk], true);
        }
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
      if (this.budget.stopped) return;
      const begin = this.invocations.length;
      const own = { ...place, input };
      const walk = (): void => {
        this.commandNode(command, own);
      };
      // Each member is a process of its own; whether the last one is depends on the shell.
      if (node.commands.length === 1) walk();
      else if (index + 1 < node.commands.length) place.scope.isolated(walk);
      else place.scope.alternatives([walk], true);
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
        walkCompound(node.command, { ...place, input: input ?? place.input }, this);
        break;
      }
      case 'Function':
        this.define(node, place);
        break;
      case 'Coproc': {
        const { body } = node;
        const inner = { ...place, background: true };
        place.scope.isolated(() => {
          if (body.type === 'CompoundList') this.list(body, inner);
          else this.commandNode(body, inner);
        });
        break;
      }
      default:
        walkCompound(node, place, this);
    }
  }

  private define(node: FunctionNode, place: Place): void {
    const name = node.name.value;
    place.scope.routines.set(name, { node, source: place.source, called: false, active: 0 });
    if (selfCalls(node) === 'bomb') {
      this.problems.push({ kind: 'fork-bomb', message: `the function ${name} starts itself again and again`, start: place.source.start(node.pos), end: place.source.end(node.end) });
    }
  }

  body(node: FunctionNode, place: Place): void {
    const before = this.place;
    this.place = place;
    if (node.body.type === 'CompoundList') this.list(node.body, place);
    else this.commandNode(node.body, place);
    this.place = before;
  }

  loop(place: Place, body: () => void): void {
    let before = '';
    const round = (number: number): boolean => {
      const from = this.invocations.length;
      if (number === 0) body();
      else this.afresh(body);
      const now = signature(this.invocations, from);
      const isNew = number === 0 || now !== before;
      before = now;
      // Nothing points at what the round added, because what it did is undone with it.
      if (!isNew) this.invocations.length = from;
      return isNew;
    };
    this.budget.loop(() => {
      place.scope.repeated(round);
    });
  }

  afresh(walk: () => void): void {
    const outer = this.substitutions;
    this.substitutions = new Map();
    walk();
    this.substitutions = outer;
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
    const guessed = readings.flatMap((argv) => [argv, ...guessedPrograms(argv)]);
    const walks = guessed.map((argv) => () => {
      this.start({ argv, settings, redirects, input: input ?? place.input, start, end }, place);
    });
    if (walks.length === 1) walks[0]?.();
    else place.scope.alternatives(walks, false);
  }

  private start(parts: Parts, place: Place): void {
    const command = this.add(parts, place);
    if (command === undefined) return;
    this.inner.feed(command, place);
    applyBuiltin(command, place.scope);
    this.inner.walk(command, place);
  }

  add(parts: Parts, place: Place): Invocation | undefined {
    if (!this.budget.command(parts.start, parts.end)) return undefined;
    const { parent, depth, background } = place;
    const command: Invocation = { ...parts, index: this.invocations.length, name: programName(parts.argv[0]?.text), parent, depth, background, directory: place.scope.store.directory };
    this.invocations.push(command);
    return command;
  }
}
