/** What the stored rules say about one command line: forbidden, asked about, or which of its findings are allowed. Pure. */
import type { AllowRule } from '../../../preload/contract/approval-rules.ts';
import type { CommandPart, CommandReview, Finding } from '../../../preload/contract/approvals.ts';
import { deniedBy, denyForms } from '../deny-globs.ts';
import type { Inspection } from '../detect.ts';
import type { Cover } from '../review.ts';
import { coverage, directoryOf, type RuleContext } from './coverage.ts';
import { holdsFor, type HoldingRules } from './rules.ts';
import { commandText } from './words.ts';

export interface RuleFacts {
  readonly command: string;
  readonly detected: CommandReview;
  /** A command line, not a script or a hook's question: allow rules are about nothing else. */
  readonly isCommand: boolean;
  /** Each line of the text is held against patterns too. */
  readonly lines: boolean;
  readonly context: RuleContext;
  readonly holding: HoldingRules;
  readonly inspect: () => Inspection;
}

export interface RuleSay {
  readonly deniedBy: { readonly rule: string; readonly where: string } | undefined;
  readonly askedBy: Finding | undefined;
  readonly coveredBy: (finding: Finding) => Cover | undefined;
  /** The parts of the line, each with the rule that decides it. */
  readonly parts: CommandPart[];
}

const STORED = 'stored rules';
/** How a part is marked that a stored rule decides. */
export const RULE_MARK = 'your rule: ';

const idOf = ({ key, start, end }: Finding): string => `${key}\n${start}\n${end}`;

export function applyRules(facts: RuleFacts): RuleSay {
  const { command, detected, holding, context } = facts;
  let led: readonly string[] | undefined;
  const directories = (): readonly string[] => led ??= facts.inspect().units.flatMap(({ invocation }) => directoryOf(invocation, context) ?? []);
  const deny = holding.deny.filter((rule) => holdsFor(rule, context, directories));
  const ask = holding.ask.filter((rule) => holdsFor(rule, context, directories));
  const forms = deny.length + ask.length === 0 ? [] : denyForms(command, detected.parts, { lines: facts.lines });
  const denied = deniedBy(forms, deny.map(({ pattern }) => pattern));
  const asked = ask.find(({ pattern }) => deniedBy(forms, [pattern]) !== undefined);
  const { covers, byPart } = allowed(facts);
  const parts = detected.parts.map((part, index): CommandPart => {
    const rule = byPart[index];
    const open = rule === undefined || part.verdict !== 'ask' ? part : { ...part, verdict: 'allow' as const, rule: `${RULE_MARK}${commandText(rule)}` };
    return forms.length === 0 ? open : stricter(open, deny, ask);
  });
  return {
    parts,
    deniedBy: denied === undefined ? undefined : { rule: denied, where: STORED },
    askedBy: asked === undefined ? undefined : {
      key: `rule:${asked.id}`, description: `your rule: ask about ${asked.pattern}`, class: 'user-rule', effect: '', start: 0, end: command.length, tier: 'danger',
    },
    coveredBy: (finding) => covers.get(idOf(finding)),
  };
}

/** The part as the pattern rules leave it. */
function stricter(part: CommandPart, deny: HoldingRules['deny'], ask: HoldingRules['ask']): CommandPart {
  const own = denyForms(part.text, [part], { lines: false });
  const forbidden = deniedBy(own, deny.map(({ pattern }) => pattern));
  if (forbidden !== undefined) return { ...part, verdict: 'block', rule: `${RULE_MARK}never ${forbidden}` };
  const questioned = part.verdict === 'block' ? undefined : deniedBy(own, ask.map(({ pattern }) => pattern));
  return questioned === undefined ? part : { ...part, verdict: 'ask', rule: `${RULE_MARK}ask about ${questioned}` };
}

/** The findings that stand only on covered parts, with the rule of the first of them. */
function allowed({ command, detected, isCommand, context, holding, inspect }: RuleFacts): { covers: ReadonlyMap<string, Cover>; byPart: readonly (AllowRule | undefined)[] } {
  const covers = new Map<string, Cover>();
  if (!isCommand || detected.verdict !== 'ask' || holding.allow.length === 0) return { covers, byPart: [] };
  const inspection = inspect();
  const byPart = coverage(command, inspection, holding.allow, context);
  const bare = new Set<string>();
  for (const [index, { findings }] of inspection.units.entries()) {
    const rule = byPart[index];
    for (const finding of findings) {
      const id = idOf(finding);
      if (rule === undefined || bare.has(id)) {
        covers.delete(id);
        bare.add(id);
      } else if (!covers.has(id)) covers.set(id, { kind: 'rule', id: rule.id, text: commandText(rule) });
    }
  }
  return { covers, byPart };
}
