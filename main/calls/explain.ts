/** The first step that keeps a toolset from the model, in words. Pure: what is known goes in, one reason comes out. */
import type { AvailabilityReason, AvailabilityStep } from '../../preload/contract/settings.ts';
import type { CheckContext, ToolEntry } from '../../tools/registry.ts';
import type { CheckVerdict } from './availability.ts';

export interface ToolsetSituation {
  readonly name: string;
  readonly enabledByDefault: boolean;
  /** This chat's own switch; null = inherited. */
  readonly inChat: boolean | null;
  readonly tools: readonly { readonly entry: ToolEntry; readonly verdict: CheckVerdict | undefined }[];
  /** False when the chat's model is known not to call tools. */
  readonly modelCallsTools: boolean;
  /** Tools left out because the model's limit on their number or size was reached. */
  readonly dropped: ReadonlySet<string>;
}

/** Steps of a failed check in the order in which a person would mend them. */
const CHECK_ORDER: readonly AvailabilityStep[] = ['missing-variable', 'missing-program', 'wrong-backend', 'plugin-not-trusted', 'needs-sign-in', 'check-threw', 'check-failed', 'check-timed-out'];

type Place = Pick<CheckContext, 'env' | 'path'>;

/** A bare refusal names no cause; the variables that the tool says it needs often do. */
function reasonOf(entry: ToolEntry, verdict: CheckVerdict, place: Place): AvailabilityReason {
  const reason = verdict.reason ?? { step: 'check-failed' as const, message: 'The check of this tool failed.' };
  const missing = entry.requiresEnv.filter((name) => (place.env(name) ?? '') === '');
  if (reason.step === 'check-failed' && missing.length > 0) {
    return { step: 'missing-variable', message: `Missing ${missing.join(', ')}.`, fix: `Set ${missing.join(' and ')} in the home's .env or in the environment, then check again.` };
  }
  if (reason.step === 'missing-program' && !reason.message.includes(place.path)) {
    return { ...reason, message: `${reason.message} Searched: ${place.path === '' ? 'an empty PATH' : place.path}` };
  }
  return reason;
}

/** Why none of the tools is available; undefined when one is. */
export function explainChecks(tools: ToolsetSituation['tools'], place: Place): AvailabilityReason | undefined {
  if (tools.some(({ verdict }) => verdict === undefined || verdict.available)) return undefined;
  const reasons = tools.map(({ entry, verdict }) => (verdict === undefined ? undefined : reasonOf(entry, verdict, place))).filter((reason) => reason !== undefined);
  for (const step of CHECK_ORDER) {
    const found = reasons.find((reason) => reason.step === step);
    if (found !== undefined) return found;
  }
  return reasons[0];
}

/** Undefined when at least one tool of the toolset is really in the next request. */
export function explainAvailability(situation: ToolsetSituation, place: Place): AvailabilityReason | undefined {
  const { name, tools } = situation;
  if (situation.inChat === null && !situation.enabledByDefault) {
    return { step: 'disabled-by-profile', message: `'${name}' is off by default.`, fix: 'Switch it on for this chat or as the default (Toolsets in the app, platform_toolsets.cli in config.yaml).' };
  }
  if (situation.inChat === false) return { step: 'disabled-in-chat', message: `'${name}' is off in this chat.`, fix: "Switch it on, or reset the chat's switch." };
  const checks = tools.length === 0 ? undefined : explainChecks(tools, place);
  if (checks !== undefined && (['missing-variable', 'missing-program', 'wrong-backend'] as const).some((step) => step === checks.step)) return checks;
  if (!situation.modelCallsTools) {
    return { step: 'model-without-tools', message: "This chat's model does not call tools.", fix: 'Choose a model with tool calling.' };
  }
  if (tools.length > 0 && tools.every(({ entry }) => situation.dropped.has(entry.name))) {
    return { step: 'dropped-by-cap', message: `The tools of '${name}' were left out: a request holds at most so many tools (tools.max_tools), and others come first.`, fix: 'Switch off toolsets that this chat does not need, or raise tools.max_tools in config.yaml.' };
  }
  if (checks !== undefined) return checks;
  return tools.length === 0 ? { step: 'no-tools', message: `No tool of '${name}' is installed.` } : undefined;
}
