/** What may be stored as a rule, and whether a rule does what its examples say. */
import type { AllowDraft, RuleDraft } from '../../../preload/contract/approval-rules.ts';
import { AppError } from '../../../preload/contract/errors.ts';
import { deniedBy, denyForms } from '../deny-globs.ts';
import type { Inspection, ReviewPlace } from '../detect.ts';
import { programName } from '../parse/place.ts';
import { holdsSecret } from '../../redact.ts';
import { coverage } from './coverage.ts';
import { commandText, matchText } from './words.ts';

export type Inspect = (command: string, place: ReviewPlace) => Inspection;

/** Programs that run what their arguments say: a rule over all of their arguments allows everything. */
const RUNS_ANYTHING = /^(?:sudo|doas|su|env|xargs|nohup|time|timeout|nice|ssh|eval|exec|sh|bash|zsh|dash|ksh|fish|python[\d.]*|perl|ruby|node|deno|bun|php|awk|gawk|powershell|pwsh|cmd|find|watch|parallel)$/;
// eslint-disable-next-line no-control-regex -- control characters are what this expression is for
const HIDDEN = /[\x00-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/;

export const isTooWide = ({ tokens, anyArgs }: Pick<AllowDraft, 'tokens' | 'anyArgs'>): boolean =>
  anyArgs && RUNS_ANYTHING.test(programName(tokens[0])) && !tokens.slice(1).some((token) => !token.startsWith('-'));

const placeOf = (rule: AllowDraft): ReviewPlace => ({ backend: rule.backend ?? 'local', isolated: false, cwd: rule.scope.kind === 'project' ? rule.scope.root : '/' });

/** Whether the rule covers every part of a line, wherever it holds. */
function coversLine(rule: AllowDraft, command: string, inspect: Inspect): boolean {
  const place = placeOf(rule);
  const context = {
    backend: place.backend, ...(place.cwd === undefined ? {} : { cwd: place.cwd }), ...(rule.scope.kind === 'chat' ? { chats: [rule.scope.sessionId] } : {}),
    resolve: () => rule.path ?? undefined,
  };
  const covered = coverage(command, inspect(command, place), [rule], context);
  return covered.length > 0 && covered.every((found) => found !== undefined);
}

/** The pattern rule matches the line or a command in it. */
export const patternMatches = (pattern: string, command: string, inspection: Pick<Inspection, 'review'>): boolean =>
  deniedBy(denyForms(command, inspection.review.parts, { lines: false }), [pattern]) !== undefined;

/** The first example that the rule does not do as it says, in words. */
export function failedExample(rule: RuleDraft, inspect: Inspect): string | undefined {
  const does = (command: string): boolean => (rule.kind === 'allow' ? coversLine(rule, command, inspect)
    : patternMatches(rule.pattern, command, inspect(command, { backend: rule.backend ?? 'local', isolated: false })));
  const missed = rule.examples.matches.find((command) => !does(command));
  if (missed !== undefined) return `It should match "${missed}" and does not.`;
  const hit = rule.examples.not.find(does);
  return hit === undefined ? undefined : `It should not match "${hit}" and does.`;
}

/** Throws `request/not-possible` with the cause and the next step for a rule that may not be stored. */
export function checkDraft(draft: RuleDraft, inspect: Inspect): void {
  const refuse = (message: string, hint: string): never => { throw new AppError('request/not-possible', message, { hint }); };
  const text = matchText(draft);
  if (HIDDEN.test(text)) refuse('A rule is one line without characters that cannot be seen.', 'Commands of several lines are asked about each time.');
  if (holdsSecret(text) || (draft.kind === 'allow' && draft.tokens.some(holdsSecret))) refuse('This rule holds what looks like a secret.', 'Leave the secret out: end the rule before it and let any words follow.');
  if (draft.kind === 'allow') checkAllow(draft, inspect, refuse);
  const failed = failedExample(draft, inspect);
  if (failed !== undefined) refuse(`An example of this rule fails. ${failed}`, 'Correct the rule or the example.');
}

function checkAllow(draft: AllowDraft, inspect: Inspect, refuse: (message: string, hint: string) => never): void {
  if (draft.tokens[0] === '') refuse('A rule names a program.', 'Write the command as it would be typed.');
  if (isTooWide(draft)) refuse(`"${commandText(draft)}" would allow every command: ${draft.tokens[0] ?? ''} runs what its arguments say.`, 'Name what it runs.');
  const { review } = inspect(commandText({ ...draft, anyArgs: false }), placeOf(draft));
  if (review.verdict === 'block') refuse(`"${commandText(draft)}" is never run, whatever the rules say.`, 'There is nothing to allow here.');
  if (review.findings.some(({ tier }) => tier === 'unknown')) refuse(`"${commandText(draft)}" cannot be judged before it runs, so it is asked about each time.`, 'Allow a concrete command instead.');
}
