/** What the walk over a command line hands to the rules. */
import type { Field, Substitution, Text } from './text.ts';

/** A redirection to or from a file. Duplications such as `2>&1` are not listed. */
export interface FileRedirect {
  readonly operator: '>' | '>>' | '<' | '<>';
  readonly descriptor: number | undefined;
  readonly target: Field;
}

/** The commands that write into a pipe: those from `from` up to, not including, `to`, and some that stand elsewhere. */
export interface Producers {
  readonly from: number;
  readonly to: number;
  readonly also: number[];
}

/** What is known about a command's standard input. */
export type Input =
  | { readonly kind: 'pipe'; readonly producers: Producers; readonly literal: Text | undefined }
  | { readonly kind: 'heredoc' | 'here-string'; readonly literal: Text; readonly substitutions: readonly Substitution[] }
  | { readonly kind: 'file'; readonly target: Field };

/** `NAME=value` in front of a command. */
export interface Setting {
  readonly name: string;
  readonly value: Field;
  readonly start: number;
  readonly end: number;
}

/** One simple command as the shell would start it, or as a wrapper around it would. */
export interface Invocation {
  readonly index: number;
  /** Program first. Empty for a bare redirection or assignment. */
  readonly argv: readonly Field[];
  /** Last path component of the program in lower case without `.exe`; {@link import('./text.ts').UNKNOWN} in it when not known; '' for none. */
  readonly name: string;
  readonly settings: readonly Setting[];
  readonly redirects: readonly FileRedirect[];
  readonly input: Input | undefined;
  /** The wrapper or interpreter that runs this one. */
  readonly parent: number | undefined;
  /** Wrappers and nested scripts around it. */
  readonly depth: number;
  /** UTF-16 offsets in the original. */
  readonly start: number;
  readonly end: number;
  /** Detached with `&`, or inside something that is. */
  readonly background: boolean;
  /** Where `cd` earlier in the line has led, when that is known. */
  readonly directory: string | undefined;
}

/** A command as its words and redirections make it. */
export type Parts = Pick<Invocation, 'argv' | 'settings' | 'redirects' | 'input' | 'start' | 'end'>;

/** Something about the text itself, not about one command. */
export interface Problem {
  readonly kind: 'syntax' | 'malformed' | 'limit' | 'fork-bomb';
  readonly message: string;
  readonly start: number;
  readonly end: number;
}

export interface WalkResult {
  readonly invocations: readonly Invocation[];
  readonly problems: readonly Problem[];
}

/** Tells what a program runs; `all` are the commands seen so far. */
export type ProgramReader = (command: Invocation, all: readonly Invocation[]) => readonly Inner[];

/** The kinds of thing that a wrapper or interpreter runs. */
export type Inner =
  | { readonly kind: 'argv'; readonly fields: readonly Field[]; readonly input?: Input; readonly settings?: readonly Setting[]; readonly background?: boolean }
  | { readonly kind: 'script'; readonly text: Text; readonly positional?: readonly Field[]; readonly self?: Field; readonly input?: Input };

/** Finds what a command runs in turn: the argv behind a wrapper, the script of `sh -c`. */
export type Unwrap = ProgramReader;
