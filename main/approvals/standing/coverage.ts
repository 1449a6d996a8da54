/**
 * Which parts of a command line a stored allow rule lets through. Strict on purpose: a rule stands for one simple command as the shell would start it,
 * so anything that could make the same words mean something else (a redirection, an assignment, a pipe, an alias) is not covered. Pure.
 */
import { posix } from 'node:path';
import type { AllowDraft, RuleScope } from '../../../preload/contract/approval-rules.ts';
import type { FindingClass } from '../../../preload/contract/approvals.ts';
import type { Inspection, Unit } from '../detect.ts';
import type { Invocation } from '../parse/model.ts';
import { type Field, HOME, UNKNOWN } from '../parse/text.ts';

/** Where the line would run, as rules see it. */
export interface RuleContext {
  /** The chat, and those that sent it out: a rule for a chat holds for its sub-agents. */
  readonly chats?: readonly string[];
  readonly cwd?: string;
  readonly backend: string;
  readonly home?: string;
  /** Absolute path of a program on this machine; undefined where there is none of that name, or it cannot be known. */
  readonly resolve: (program: string, cwd: string | undefined) => string | undefined;
}

/** Programs that only run another one: the rule for the other one is enough. */
const TRANSPARENT = new Set(['time', 'timeout', 'nice', 'nohup', 'setsid', 'stdbuf', 'ionice', 'command']);
/** What changes the meaning of the words after it. */
const RENAMES = new Set(['alias', 'unalias', 'export', 'declare', 'typeset', 'local', 'readonly', 'source', '.', 'eval', 'hash', 'enable', 'set', 'shopt', 'trap', 'unset', 'read', 'mapfile', 'let']);
const DEFINES = /(?:^|[\s;&|({])(?:function\s+[^\s(]|[^\s"'()$;&|<>]+\s*\(\s*\))/;
/** "Any further words" must not open these doors: each such command is asked about, or allowed word by word. */
const NEVER_WIDE: ReadonlySet<FindingClass> = new Set([
  'remote-code', 'exfiltration', 'credentials', 'persistence', 'metadata', 'agent-self', 'interpreter', 'disk', 'system-config', 'user-rule', 'privilege',
]);

/**
 * One word as a rule keeps it: the home directory as a leading `~`. Undefined for a word that only the running shell knows, or that is
 * spelled so that it could be taken for another one (a quoted `~` or `*`).
 */
export function tokenOf(field: Field): string | undefined {
  const { text } = field;
  if (text.includes(UNKNOWN) || field.splits) return undefined;
  if (text.startsWith('~')) return undefined;
  if (/[*?[]/.test(text) && !field.glob) return undefined;
  if (!text.includes(HOME)) return text;
  return text.lastIndexOf(HOME) === 0 ? `~${text.slice(1)}` : undefined;
}

/** Lines in which no rule counts, whatever their parts. Undefined when rules may look at the parts; else why not, in words. */
export function opaque(command: string, inspection: Inspection): string | undefined {
  if (!inspection.plain) return 'the text cannot be read in one way only';
  if (DEFINES.test(command)) return 'it defines a function';
  const changed = inspection.units.find(({ invocation: { argv, name, settings } }) => (argv.length === 0 && settings.length > 0) || RENAMES.has(name));
  if (changed !== undefined) return 'it sets variables or names that later commands use';
  return undefined;
}

/** Why no rule can be made of, or match, this command itself; undefined when one can. */
export function unfit({ argv, settings, redirects, input }: Invocation): string | undefined {
  if (argv.length === 0) return 'it is no command';
  if (settings.length > 0) return 'it sets variables for the command';
  if (input !== undefined) return 'it reads what another command or the line itself hands to it';
  if (redirects.some(({ target }) => target.text !== '/dev/null')) return 'it redirects to or from a file';
  return undefined;
}

/** Directory in which this command starts, as an absolute path. Undefined when the line leads somewhere that is not known. */
export function directoryOf({ directory }: Invocation, context: Pick<RuleContext, 'cwd' | 'home'>): string | undefined {
  if (directory === undefined || directory.includes(UNKNOWN)) return undefined;
  const absolute = directory.includes(HOME) ? (context.home === undefined ? undefined : directory.replaceAll(HOME, context.home)) : directory;
  if (absolute === undefined) return undefined;
  return posix.isAbsolute(absolute) ? posix.normalize(absolute) : context.cwd === undefined ? undefined : posix.join(context.cwd, absolute);
}

export const isInside = (path: string, root: string): boolean => path === root || path.startsWith(root.endsWith('/') ? root : `${root}/`);

function inScope(scope: RuleScope, invocation: Invocation, context: RuleContext): boolean {
  if (scope.kind === 'everywhere') return true;
  if (scope.kind === 'chat') return context.chats?.includes(scope.sessionId) === true;
  const directory = directoryOf(invocation, context);
  return directory !== undefined && isInside(directory, scope.root);
}

function isProgram(rule: AllowDraft, word: string, invocation: Invocation, context: RuleContext): boolean {
  if (word !== rule.tokens[0] && word !== rule.path) return false;
  if (context.backend !== 'local') return word === rule.tokens[0];
  return (context.resolve(word, directoryOf(invocation, context)) ?? null) === rule.path;
}

function matchesWords(rule: AllowDraft, invocation: Invocation, context: RuleContext): boolean {
  const { argv } = invocation;
  if (argv.length < rule.tokens.length || (argv.length > rule.tokens.length && !rule.anyArgs)) return false;
  const [first, ...rest] = rule.tokens.map((_token, index) => { const field = argv[index]; return field === undefined ? undefined : tokenOf(field); });
  return first !== undefined && isProgram(rule, first, invocation, context) && rest.every((token, index) => token === rule.tokens[index + 1]);
}

/** Whether the rule stands for this command, wherever it is in a line. */
export function matches(rule: AllowDraft, { invocation, findings }: Unit, context: RuleContext): boolean {
  if (rule.backend !== null && rule.backend !== context.backend) return false;
  if (unfit(invocation) !== undefined || findings.some(({ tier }) => tier !== 'danger')) return false;
  if (rule.anyArgs && findings.some((finding) => NEVER_WIDE.has(finding.class))) return false;
  return inScope(rule.scope, invocation, context) && matchesWords(rule, invocation, context);
}

/**
 * The rule that covers each part, by index; undefined for parts that none covers. What an exactly matched command runs in turn is covered with it,
 * since its words say all of it; behind "any further words" it needs a rule of its own.
 */
export function coverage<Rule extends AllowDraft>(command: string, inspection: Inspection, rules: readonly Rule[], context: RuleContext): (Rule | undefined)[] {
  const { units } = inspection;
  const covered: (Rule | undefined)[] = units.map(() => undefined);
  if (rules.length === 0 || opaque(command, inspection) !== undefined) return covered;
  for (const [index, unit] of units.entries()) {
    const own = open(unit, units) ? rules.find((rule) => matches(rule, unit, context)) : undefined;
    covered[index] = own ?? inherited(unit, units, covered);
  }
  return covered;
}

/** The parts that something is found on and that no rule covers, by index. */
export function uncovered(command: string, inspection: Inspection, rules: readonly AllowDraft[], context: RuleContext): number[] {
  const covered = coverage(command, inspection, rules, context);
  return inspection.units.flatMap((unit, index) => (unit.findings.length > 0 && covered[index] === undefined ? [index] : []));
}

/** Nothing stands around it but programs that merely start it. */
export function open({ invocation }: Unit, units: readonly Unit[]): boolean {
  for (let parent = invocation.parent; parent !== undefined; parent = units[parent]?.invocation.parent) {
    const around = units[parent]?.invocation;
    if (around === undefined || !TRANSPARENT.has(around.name) || unfit(around) !== undefined) return false;
  }
  return true;
}

function inherited<Rule extends AllowDraft>({ invocation, findings }: Unit, units: readonly Unit[], covered: readonly (Rule | undefined)[]): Rule | undefined {
  if (invocation.parent === undefined || findings.some(({ tier }) => tier !== 'danger')) return undefined;
  const around = units[invocation.parent];
  const rule = covered[invocation.parent];
  // Around a substitution lies no parent, so every word here came out of the words that the rule names.
  return rule === undefined || rule.anyArgs || around === undefined || around.invocation.index >= invocation.index ? undefined : rule;
}
