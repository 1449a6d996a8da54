/** The shape of a rule and the small vocabulary that rules share. */
import type { Finding } from '../../../preload/contract/approvals.ts';
import type { Invocation } from '../parse/model.ts';
import { type Field, HOME, UNKNOWN } from '../parse/text.ts';

/** Where a command would run; nothing here is looked up by the detector. */
export interface ReviewPlace {
  readonly backend: string;
  /** A sandbox that cannot reach the host; the caller decides what that exempts. */
  readonly isolated: boolean;
  readonly cwd?: string;
  readonly home?: string;
  readonly user?: string;
  /** Other spellings of the home directory, such as its real path behind a symlink. */
  readonly homeAliases?: readonly string[];
  readonly hermesHome?: string;
  readonly tmpdir?: string;
  readonly platform?: 'posix' | 'windows';
  readonly sudoPasswordSet?: boolean;
}

/** What rules may look at besides the command itself. */
export interface Facts {
  readonly place: ReviewPlace;
  readonly all: readonly Invocation[];
}

/** A match: what would happen, and where in the original it stands. */
export interface Hit {
  readonly effect: string;
  readonly start: number;
  readonly end: number;
}

export interface Rule {
  /** Approval key and description, in Hermes' words where Hermes has the rule. */
  readonly key: string;
  readonly class: Finding['class'];
  readonly tier: Finding['tier'];
  /** What the rule looks for, for people to read. */
  readonly pattern: string;
  /** Program names it is about; `*` at the end for any ending; `any` for every command. */
  readonly programs: readonly string[] | 'any';
  /** Also tried on every command that has this, whatever its program. */
  readonly also?: 'redirects' | 'settings' | 'input';
  readonly test: (command: Invocation, facts: Facts) => Hit | undefined;
}

/** A match on one word. */
export const hitField = (effect: string, field: Field): Hit => ({ effect, start: field.start, end: field.end });
/** A match on a whole command. */
export const hitCommand = (effect: string, command: Invocation): Hit => ({ effect, start: command.start, end: command.end });

/** A word as a person would read it. */
export const shown = (text: string): string => text.replaceAll(HOME, '~').replaceAll(UNKNOWN, '…');

export const words = (names: string): string[] => names.split(' ');

/** Ends in `--help`, so that a program which reads its options with getopt or the like prints a page and does nothing. Behind `run` and `exec` the word is somebody else's. */
export function asksForHelp(command: Invocation): boolean {
  const { argv } = command;
  return argv.length > 1 && argv.at(-1)?.text === '--help' && !argv.some((field) => /^(?:--|run|exec|create)$/.test(field.text));
}

/** The rules, silent on commands that only ask for help. */
export const exceptHelp = (rules: readonly Rule[]): Rule[] => rules.map((rule) => ({ ...rule, test: (command, facts) => (asksForHelp(command) ? undefined : rule.test(command, facts)) }));

/** Operands that do not start with a dash, up to and past `--`. */
export function plainOperands(command: Invocation, from = 1): Field[] {
  const found: Field[] = [];
  let ended = false;
  for (const field of command.argv.slice(from)) {
    if (!ended && field.text === '--') ended = true;
    else if (ended || !field.text.startsWith('-') || field.text === '-') found.push(field);
  }
  return found;
}

/** The text that reaches the command over its input, when the line spells it. */
export function inputText(command: Invocation): string | undefined {
  const { input } = command;
  return input === undefined || input.kind === 'file' ? undefined : input.literal?.text;
}

/** No pipeline that a person writes is longer; what is further up is not looked at. */
const MAX_PRODUCERS = 200;

/** Everything upstream in the pipeline. */
export function producers(command: Invocation, facts: Facts): Invocation[] {
  if (command.input?.kind !== 'pipe') return [];
  const { from, to, also } = command.input.producers;
  return [...facts.all.slice(Math.max(from, to - MAX_PRODUCERS), to), ...also.slice(0, MAX_PRODUCERS).flatMap((index) => facts.all[index] ?? [])];
}

/** Commands whose output makes up one of the words, or is behind a `<(…)` among them. */
export function substituted(fields: readonly Field[], facts: Facts): Invocation[] {
  return fields.flatMap((field) => field.substitutions.flatMap((substitution) => substitution.commands.flatMap((index) => facts.all[index] ?? [])));
}

/** The wrappers around a command, nearest first. */
export function ancestors(command: Invocation, facts: Facts): Invocation[] {
  const found: Invocation[] = [];
  for (let parent = command.parent; parent !== undefined && found.length < 64; ) {
    const next = facts.all[parent];
    if (next === undefined) break;
    found.push(next);
    parent = next.parent;
  }
  return found;
}
