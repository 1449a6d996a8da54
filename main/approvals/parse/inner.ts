/** What a command starts in turn: functions, aliases, wrapped commands and scripts, each seen with the variables that it gets. */
import { type Function as FunctionNode, parse, type ParsedScript } from 'unbash';
import type { Budget } from './budget.ts';
import { applyBuiltin, changedDirectory } from './builtins.ts';
import { guessedPrograms } from './guesses.ts';
import type { Inner, Invocation, Parts, Setting, Unwrap } from './model.ts';
import { readOptions } from './options.ts';
import { feedWriters, type Place } from './place.ts';
import { literalOutput } from './literal.ts';
import type { Scope } from './scope.ts';
import { UNKNOWN_VALUE, type Value } from './store.ts';
import { blockText, type Field, joinTexts, type Text, textSource, UNKNOWN } from './text.ts';
import { WRAPPERS } from './wrappers.ts';

/** Calls of one function inside each other that are walked; a value carried through more of them is not followed. */
const MAX_ACTIVE = 3;

/** Builtins whose script runs in the shell that they stand in. */
const SAME_SHELL = new Set(['eval', 'source', '.', 'trap', 'alias', 'mapfile', 'readarray', 'complete', 'compgen', 'bind']);
/** Builtins whose command runs in the shell that they stand in. */
const SAME_SHELL_WRAPPERS = new Set(['command', 'builtin', 'noglob', 'nocorrect']);
/** Programs that hand on an environment of their own making, or run things on another machine. */
const OTHER_ENVIRONMENT = /^(?:sudo|doas|su|runuser|pkexec|run0|ssh|autossh|slogin|dbclient|rsh|mosh|docker|podman|nerdctl|docker-compose|podman-compose|kubectl|oc|lxc|incus|adb|wsl|tmux|screen|zellij|at|batch|systemd-run|vagrant|gcloud|crontab)$/;

interface Trap {
  readonly text: Text;
  readonly command: Invocation;
  readonly place: Place;
}

/** What it needs from the walk. */
export interface InnerHost {
  readonly invocations: Invocation[];
  readonly budget: Budget;
  /** Lists one more command; undefined when there are too many. */
  add(parts: Parts, place: Place): Invocation | undefined;
  script(script: ParsedScript, place: Place): void;
  body(node: FunctionNode, place: Place): void;
  /** Walks with no memory of substitutions: what they run may have other values now. */
  afresh(walk: () => void): void;
  enter(place: Place): void;
}

export class InnerWalker {
  private readonly host: InnerHost;
  private readonly unwrap: Unwrap;
  private readonly traps: Trap[] = [];
  /** Aliases being expanded: bash does not expand one again inside itself, so `alias ls='ls -l'` ends. */
  private readonly expanding = new Set<string>();

  constructor(host: InnerHost, unwrap: Unwrap) {
    this.host = host;
    this.unwrap = unwrap;
  }

  /** Walks everything that `command` starts. */
  walk(command: Invocation, place: Place): void {
    const program = command.argv[0]?.text;
    const meanings = program === undefined || this.expanding.has(program) ? [] : (place.scope.aliases.get(program) ?? []);
    this.call(command, place);
    for (const inner of this.unwrap(command, this.host.invocations)) this.inner(inner, command, place);
    if (program === undefined || meanings.length === 0) return;
    this.expanding.add(program);
    for (const meaning of meanings) this.inner({ kind: 'script', text: aliased(meaning, command) }, command, place, true);
    this.expanding.delete(program);
  }

  /** A trap may go off at any time, so what it runs is looked at with every value that a variable has had. */
  walkTraps(scope: Scope): void {
    if (this.traps.length === 0) return;
    scope.store.mergePast();
    for (const { text, command, place } of this.traps.splice(0)) {
      this.host.afresh(() => {
        this.inner({ kind: 'script', text }, command, place, true);
      });
    }
  }

  /** Tells the commands in `>(…)` who writes to them, and what, where the line spells it: `echo 'rm -rf /' > >(sh)`. */
  feed(command: Invocation, place: Place): void {
    const all = this.host.invocations;
    const substitutions = [...command.argv, ...command.redirects.map((redirect) => redirect.target)].flatMap((field) => field.substitutions);
    feedWriters(substitutions, command.index, all);
    const written = substitutions.flatMap((substitution) => (substitution.kind === 'writes' ? substitution.commands : []));
    const literal = written.length === 0 ? undefined : literalOutput(command);
    if (literal === undefined) return;
    for (const index of written) {
      const reader = all[index];
      if (reader?.input?.kind !== 'pipe' || reader.input.literal !== undefined || written.includes(reader.parent ?? -1)) continue;
      const fed: Invocation = { ...reader, input: { ...reader.input, literal } };
      all[index] = fed;
      this.walk(fed, { ...place, depth: fed.depth, parent: fed.parent, input: fed.input });
    }
  }

  private call(command: Invocation, place: Place): void {
    const first = command.argv[0]?.text;
    const routine = first === undefined ? undefined : place.scope.routines.get(first);
    if (routine === undefined || routine.active >= MAX_ACTIVE) return;
    if (!this.host.budget.nested(routine.node.end - routine.node.pos, command.start, command.end)) return;
    routine.called = true;
    routine.active++;
    const positional = command.argv.slice(1).map((field): Value => ({ text: field.splits ? UNKNOWN : field.text, substitutions: field.substitutions, glob: field.glob }));
    const scope = place.scope.withPositional(positional);
    this.host.afresh(() => {
      this.host.body(routine.node, { ...place, source: routine.source, scope, input: command.input, depth: place.depth + 1, parent: command.index });
    });
    scope.leave();
    routine.active--;
  }

  private inner(inner: Inner, command: Invocation, place: Place, sameShell = SAME_SHELL.has(command.name)): void {
    const { budget } = this.host;
    if (budget.stopped || !budget.deeper(place.depth, command.start, command.end)) return;
    const deeper: Place = { ...place, depth: place.depth + 1, parent: command.index, input: inner.input ?? command.input };
    if (inner.kind === 'argv') {
      const folder = startFolder(command);
      if (folder === undefined) this.wrapped(inner, command, deeper);
      else {
        place.scope.isolated(() => {
          place.scope.store.directory = changedDirectory([folder], place.scope.store.directory);
          this.wrapped(inner, command, deeper);
        });
      }
      return;
    }
    if (!budget.nested(inner.text.text.length, command.start, command.end)) return;
    if (command.name === 'trap') this.traps.push({ text: inner.text, command, place });
    const source = textSource(inner.text);
    const positional = inner.positional?.map((field): Value => ({ text: field.text, substitutions: field.substitutions }));
    const walk = (scope: Scope): void => {
      const within = scope.withPositional(positional ?? (sameShell ? scope.positional : undefined));
      if (!sameShell) within.self = inner.self === undefined ? undefined : { text: inner.self.text, substitutions: inner.self.substitutions };
      this.host.script(parse(source.text), { ...deeper, source, scope: within });
    };
    const settings = this.settingsFor(command);
    if (!sameShell) {
      place.scope.isolated(() => {
        const other = this.around(command).some((each) => OTHER_ENVIRONMENT.test(each.name));
        const cleared = other || this.around(command).some((each) => each.name === 'env' && each.argv.some((field) => /^-$|^-\w*[iu]|^--(?:ig|un)/.test(field.text)));
        const scope = place.scope.inShell({ instead: [{ text: '', substitutions: [] }, ...(other ? [UNKNOWN_VALUE] : [])], cleared });
        for (const setting of settings) scope.assign(setting.name, [{ text: setting.value.text, substitutions: setting.value.substitutions }]);
        walk(scope);
      });
    } else if (settings.length > 0) {
      place.scope.alternatives([
        () => {
          for (const setting of settings) place.scope.assign(setting.name, [{ text: setting.value.text, substitutions: setting.value.substitutions }]);
          walk(place.scope);
        },
      ], false);
    } else walk(place.scope);
    this.host.enter(place);
  }

  private wrapped(inner: Extract<Inner, { kind: 'argv' }>, command: Invocation, place: Place): void {
    const first = inner.fields[0];
    if (first === undefined) return;
    const end = inner.fields.reduce((last, field) => Math.max(last, field.end), first.end);
    const within = { ...place, background: inner.background === true || place.background };
    for (const fields of guessedPrograms(inner.fields)) this.wrapped({ ...inner, fields }, command, place);
    const started = this.host.add({ argv: inner.fields, settings: inner.settings ?? [], redirects: command.redirects, input: place.input, start: first.start, end }, within);
    if (started === undefined) return;
    const sameShell = SAME_SHELL_WRAPPERS.has(command.name);
    if (sameShell) applyBuiltin(started, within.scope);
    this.walk(started, within);
  }

  /** The command and the wrappers around it, inmost first. */
  private around(command: Invocation): Invocation[] {
    const found = [command];
    for (let parent = command.parent; parent !== undefined; parent = found.at(-1)?.parent) {
      const next = this.host.invocations[parent];
      if (next === undefined || next.start > command.start || next.end < command.end) break;
      found.push(next);
    }
    return found;
  }

  /** `NAME=value` in front of the command or of a wrapper around it; the inmost stands last. */
  private settingsFor(command: Invocation): Setting[] {
    return this.around(command).flatMap((each) => each.settings).reverse();
  }
}

/** The alias with the words that follow it; those are one word each, as they were when the alias was met. */
function aliased(meaning: string, command: Invocation): Text {
  const rest = command.argv.slice(1).map((field) => blockText(field.glob && /^[\w*?./[\]!^~:=@%+-]+$/.test(field.text) ? field.text : `'${field.text.replaceAll("'", "'\\''")}'`, field.start, field.end));
  return joinTexts([blockText(meaning, command.start, command.end), ...rest], ' ');
}

/** The folder that `env -C` and `sudo -D` start the program in. */
function startFolder(command: Invocation): Field | undefined {
  const letter = { env: 'C', genv: 'C', sudo: 'D' }[command.name];
  const wrapper = letter === undefined ? undefined : WRAPPERS.get(command.name);
  return wrapper === undefined ? undefined : readOptions(command.argv, wrapper).options.find((option) => option.name === letter || option.name === 'chdir')?.value;
}
