/**
 * The command detector: text in, verdict out. Pure and synchronous; it reads no disk, clock or setting, so the same
 * input always gets the same answer. Isolation, stored rules, modes and people are the caller's business.
 */
import type { CommandPart, CommandReview, Finding, Verdict } from '../../preload/contract/approvals.ts';
import { normalise, powershellBlocks, rawSource, windowsPaths } from './normalise.ts';
import { globMatches } from './parse/glob.ts';
import { overLimit } from './parse/limits.ts';
import type { Invocation, Problem, WalkResult } from './parse/model.ts';
import { type Field, HOME, plainSource, type Source, UNKNOWN } from './parse/text.ts';
import { unwrap } from './parse/unwrap.ts';
import { walkSource } from './parse/walk.ts';
import { RULES, rulesFor } from './rules/index.ts';
import type { Facts, ReviewPlace } from './rules/rule.ts';

export type { ReviewPlace } from './rules/rule.ts';

/** A pattern of the user's own, from config: a glob over `program arguments` of each command. */
export interface UserPattern {
  readonly pattern: string;
  readonly description: string;
}

/** What the caller's settings change about detection. */
export interface DetectPolicy {
  readonly patterns?: readonly UserPattern[];
}

/** One command that would start, with its words as the shell would pass them. Offsets are UTF-16 units of the original. */
export interface FoundCommand {
  readonly argv: readonly string[];
  /** Last path component of the program, lower case, without `.exe`; '' when only the running shell knows it. */
  readonly program: string;
  readonly start: number;
  readonly end: number;
  readonly depth: number;
  readonly background: boolean;
  /** Some word is not known before the shell runs. */
  readonly dynamic: boolean;
}

/** Every rule as (pattern, description), for people to read and for `talaria` to print. */
export const DANGEROUS_PATTERNS: readonly { readonly pattern: string; readonly description: string; readonly tier: Finding['tier'] }[] = RULES.map((rule) => ({
  pattern: rule.pattern,
  description: rule.key,
  tier: rule.tier,
}));

/** Key of the finding for text that is too long, too deep or cut off, as Hermes words it. */
export const LIMIT_KEY = 'command parser limit exceeded';
export const MALFORMED_KEY = 'command parser limit or malformed executable payload';
export const SYNTAX_KEY = 'text that the shell parser cannot read';

const RANK: Record<Verdict, number> = { allow: 0, ask: 1, block: 2 };
const LOCAL: ReviewPlace = { backend: 'local', isolated: false };

/** The stricter of two verdicts. */
export const strictest = (one: Verdict, other: Verdict): Verdict => (RANK[one] >= RANK[other] ? one : other);

/** What a finding of this tier amounts to. */
export const verdictOf = (tier: Finding['tier']): Verdict => (tier === 'floor' ? 'block' : 'ask');

interface Reading {
  readonly walk: WalkResult;
  readonly source: Source;
  /** Whether what cannot be parsed in this reading counts: only in the text as the shell would get it. */
  readonly strict: boolean;
  /** Blocks of PowerShell as lines: a variable there is only shown, and never a program. */
  readonly isPowerShell?: boolean;
}

/** One command as the detector met it: how the walk read it, and what was found on it alone. */
export interface Unit {
  readonly invocation: Invocation;
  readonly findings: readonly Finding[];
}

/** A verdict with what it was made from. */
export interface Inspection {
  readonly review: CommandReview;
  /** One for each of `review.parts`, in the same order; none for a line that was refused for its size. */
  readonly units: readonly Unit[];
  /** Nothing hidden: one reading of the text, no complaint about the text as a whole, no finding left out. */
  readonly plain: boolean;
}

/**
 * Judges a command line.
 * @param command the text exactly as it would run
 * @param place where it would run; `home`, `homeAliases`, `hermesHome`, `tmpdir`, `cwd` let absolute spellings be recognised
 * @param policy the user's own patterns
 * @returns the strictest verdict of any part, every finding with its span in `command`, and every command found
 */
export const reviewCommand = (command: string, place: ReviewPlace, policy: DetectPolicy = {}): CommandReview => inspectCommand(command, place, policy).review;

/** {@link reviewCommand} with the commands as the walk read them, for rules that have to match words and not their spelling. */
export function inspectCommand(command: string, place: ReviewPlace, policy: DetectPolicy = {}): Inspection {
  const limit = overLimit(command);
  if (limit !== undefined) return { review: tooCostly(limit, command, []), units: [], plain: false };
  const findings: Finding[] = [];
  const parts: CommandPart[] = [];
  const units: Unit[] = [];
  const seen = new Set<string>();
  const read = readings(command, place);
  let plain = read.length === 1;
  for (const reading of read) {
    const { walk } = reading;
    const over = walk.problems.find((problem) => problem.kind === 'limit');
    if (over !== undefined) return { review: tooCostly(over.message, command, walk.invocations.slice(0, MAX_SHOWN_PARTS)), units: [], plain: false };
    const facts: Facts = { place, all: walk.invocations };
    const own: Finding[][] = walk.invocations.map((invocation) => judge(invocation, facts, policy).filter((finding) => reading.isPowerShell !== true || finding.tier !== 'unknown'));
    // Another reading of the same text adds findings, and parts only where it sees something the first did not.
    const first = parts.length === 0;
    for (const [index, invocation] of walk.invocations.entries()) {
      const hits = own[index] ?? [];
      if (!first && hits.length === 0) continue;
      parts.push(part(invocation, hits, command));
      units.push({ invocation, findings: hits });
    }
    if (walk.problems.length > 0) plain = false;
    for (const problem of walk.problems) {
      if (reading.strict || problem.kind === 'fork-bomb') own.push([problemFinding(problem)]);
    }
    for (const finding of own.flat()) {
      const id = `${finding.key}\n${String(finding.start)}\n${String(finding.end)}`;
      if (seen.has(id)) continue;
      if (finding.tier !== 'floor' && findings.length >= MAX_FINDINGS) {
        plain = false;
        continue;
      }
      seen.add(id);
      findings.push(finding);
    }
  }
  findings.sort((one, other) => RANK[verdictOf(other.tier)] - RANK[verdictOf(one.tier)]);
  const verdict = findings.reduce<Verdict>((strict, finding) => strictest(strict, verdictOf(finding.tier)), 'allow');
  return { review: { verdict, findings, parts }, units, plain };
}

/** Parts listed for a line that was refused for its size. */
const MAX_SHOWN_PARTS = 100;

function tooCostly(why: string, command: string, seen: readonly Invocation[]): CommandReview {
  const finding: Finding = { key: LIMIT_KEY, description: LIMIT_KEY, class: 'limit', effect: why, start: 0, end: command.length, tier: 'floor' };
  return { verdict: 'block', findings: [finding], parts: seen.map((invocation) => part(invocation, [finding], command)) };
}

/** More findings than this say nothing new; floors are always kept. */
const MAX_FINDINGS = 500;

/** The first finding on a command on the local machine, or undefined for a safe one. */
export function detectDangerousCommand(command: string): Finding | undefined {
  return reviewCommand(command, LOCAL).findings[0];
}

/** Every command that a line would start, wrappers' and nested scripts' included, in reading order. */
export function commandsOf(command: string, place: ReviewPlace = LOCAL): readonly FoundCommand[] {
  if (overLimit(command) !== undefined) return [];
  const found: FoundCommand[] = [];
  const seen = new Set<string>();
  for (const reading of readings(command, place)) {
    for (const invocation of reading.walk.invocations) {
      const argv = invocation.argv.map((field) => spelled(field, command));
      const id = `${argv.join('\0')}\n${String(invocation.start)}`;
      if (argv.length === 0 || seen.has(id)) continue;
      seen.add(id);
      found.push({
        argv,
        program: invocation.name.includes(UNKNOWN) ? '' : invocation.name,
        start: invocation.start,
        end: invocation.end,
        depth: invocation.depth,
        background: invocation.background,
        dynamic: invocation.argv.some((field) => field.text.includes(UNKNOWN)),
      });
    }
  }
  return found;
}

function readings(command: string, place: ReviewPlace): Reading[] {
  const environment = new Map<string, string>();
  if (place.cwd !== undefined) environment.set('PWD', place.cwd);
  if (place.user !== undefined) environment.set('USER', place.user).set('LOGNAME', place.user);
  environment.set('TMPDIR', place.tmpdir ?? UNKNOWN);
  const read = (source: Source, strict: boolean): Reading => ({ source, strict, walk: walkSource(source, unwrap, environment) });
  const normal = normalise(command);
  const found = [read(normal.changed ? rawSource(command) : plainSource(command), true)];
  if (normal.changed) found.push(read(normal.source, false));
  const windows = windowsPaths(normal.source);
  if (windows !== undefined) found.push(read(windows, false));
  const blocks = powershellBlocks(windows ?? normal.source);
  if (blocks !== undefined) found.push({ ...read(blocks, false), isPowerShell: true });
  return found;
}

function judge(command: Invocation, facts: Facts, policy: DetectPolicy): Finding[] {
  const findings: Finding[] = [];
  for (const rule of rulesFor(command)) {
    const hit = rule.test(command, facts);
    if (hit !== undefined) findings.push({ key: rule.key, description: rule.key, class: rule.class, effect: hit.effect, start: hit.start, end: Math.max(hit.end, hit.start), tier: rule.tier });
  }
  if (policy.patterns !== undefined && command.argv.length > 0) {
    const words = command.argv.map((field) => field.text);
    const rest = words.slice(1).join(' ');
    const spellings = [`${words[0] ?? ''} ${rest}`.trim(), `${command.name} ${rest}`.trim()].map((text) => text.toLowerCase());
    for (const { pattern, description } of policy.patterns) {
      if (spellings.some((text) => globMatches(pattern.toLowerCase(), text))) {
        findings.push({ key: description, description, class: 'user-rule', effect: `matches your pattern ${pattern}`, start: command.start, end: command.end, tier: 'danger' });
      }
    }
  }
  return findings;
}

function problemFinding(problem: Problem): Finding {
  const { start, end } = problem;
  switch (problem.kind) {
    case 'fork-bomb':
      return { key: 'fork bomb', description: 'fork bomb', class: 'processes', effect: problem.message, start, end, tier: 'floor' };
    case 'limit':
      return { key: LIMIT_KEY, description: LIMIT_KEY, class: 'limit', effect: problem.message, start, end, tier: 'floor' };
    case 'malformed':
      return { key: MALFORMED_KEY, description: MALFORMED_KEY, class: 'limit', effect: problem.message, start, end, tier: 'floor' };
    case 'syntax':
      return { key: SYNTAX_KEY, description: SYNTAX_KEY, class: 'unknown', effect: problem.message, start, end, tier: 'unknown' };
  }
}

function part(invocation: Invocation, findings: readonly Finding[], command: string): CommandPart {
  const verdict = findings.reduce<Verdict>((strict, finding) => strictest(strict, verdictOf(finding.tier)), 'allow');
  const deciding = findings.find((finding) => verdictOf(finding.tier) === verdict);
  const { start, end, depth } = invocation;
  const made: CommandPart = { text: command.slice(start, end), argv: invocation.argv.map((field) => spelled(field, command)), start, end, depth, verdict };
  return deciding === undefined ? made : { ...made, rule: deciding.key };
}

/** A word for people: what is unknown as it was typed, the home directory as `~`. */
function spelled(field: Field, command: string): string {
  if (!field.text.includes(UNKNOWN)) return field.text.replaceAll(HOME, '~');
  let text = '';
  for (const [index, segment] of field.segments.entries()) {
    const piece = field.text.slice(segment.at, field.segments[index + 1]?.at);
    text += piece.replaceAll(UNKNOWN, () => command.slice(segment.start, segment.end));
  }
  return text.replaceAll(HOME, '~');
}
