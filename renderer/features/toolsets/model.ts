/** The toolset panel as a value, and what its rows say. Pure. */
import type { ToolsetInfo } from '../../../preload/contract/settings.ts';
import type { SessionId } from '../../../preload/contract/ids.ts';

/** `chat`: the switch is this chat's own. `default`: the switch is kept in config.yaml for all chats. */
export type Scope = 'chat' | 'default';

export interface ToolsetsModel {
  readonly status: 'loading' | 'ready' | 'failed';
  readonly failure: string | undefined;
  /** The chat that `list` was read for. */
  readonly sessionId: SessionId | undefined;
  readonly list: readonly ToolsetInfo[];
  /** Switches on their way to the host. */
  readonly pending: ReadonlySet<string>;
  readonly checking: boolean;
}

export const emptyToolsets: ToolsetsModel = { status: 'loading', failure: undefined, sessionId: undefined, list: [], pending: new Set(), checking: false };

/** The answer for one chat is dropped when another chat was opened meanwhile. */
export function withList(model: ToolsetsModel, sessionId: SessionId | undefined, list: readonly ToolsetInfo[]): ToolsetsModel {
  if (model.sessionId !== sessionId) return model;
  return { ...model, status: 'ready', failure: undefined, list };
}

export function withSession(model: ToolsetsModel, sessionId: SessionId | undefined): ToolsetsModel {
  return model.sessionId === sessionId ? model : { ...model, sessionId, status: model.list.length === 0 ? 'loading' : model.status };
}

export function withPending(model: ToolsetsModel, name: string, pending: boolean): ToolsetsModel {
  const next = new Set(model.pending);
  if (pending) next.add(name); else next.delete(name);
  return { ...model, pending: next };
}

/** Draws a switch as it will be, before the host has answered. `null` = inherit again. */
export function withSwitch(model: ToolsetsModel, name: string, scope: Scope, enabled: boolean | null): ToolsetsModel {
  const change = (toolset: ToolsetInfo): ToolsetInfo => {
    if (toolset.name !== name) return toolset;
    if (scope === 'chat') return { ...toolset, inChat: enabled, enabled: enabled ?? toolset.enabledByDefault };
    const byDefault = enabled ?? toolset.enabledByDefault;
    return { ...toolset, enabledByDefault: byDefault, enabled: toolset.inChat ?? byDefault };
  };
  return { ...model, list: model.list.map(change) };
}

/** Really in the next model request: wished for, available, and held back by nothing. */
export function isEffective(toolset: ToolsetInfo): boolean {
  return toolset.enabled && toolset.available && (toolset.reason === null || isSwitch(toolset)) && toolset.tools.length > 0;
}

/** True when the reason only says that the switch is off. */
function isSwitch(toolset: ToolsetInfo): boolean {
  return toolset.reason?.step === 'disabled-by-profile' || toolset.reason?.step === 'disabled-in-chat';
}

export interface StateWords {
  readonly tone: 'ok' | 'warn' | 'off';
  readonly words: string;
  /** The first failing step and how to mend it. */
  readonly why: string | undefined;
  readonly fix: string | undefined;
}

/** Wish, availability and effect in words. */
export function stateWords(toolset: ToolsetInfo): StateWords {
  const why = isSwitch(toolset) ? undefined : toolset.reason?.message;
  const fix = isSwitch(toolset) ? undefined : toolset.reason?.fix;
  if (isEffective(toolset)) return { tone: 'ok', words: 'In the next request', why: undefined, fix: undefined };
  if (toolset.enabled) return { tone: 'warn', words: 'On, but held back', why: why ?? 'Its check does not pass.', fix };
  const off = toolset.inChat === false ? 'Off in this chat' : 'Off by default';
  return { tone: 'off', words: toolset.available ? off : `${off}, and could not run now`, why, fix };
}

/** Tokens that the toolsets add to each request of this chat. */
export function effectiveTokens(list: readonly ToolsetInfo[]): number {
  /** A tool that two toolsets hold is sent once. */
  const tokens = new Map<string, number>();
  for (const toolset of list) if (isEffective(toolset)) for (const tool of toolset.tools) if (tool.available) tokens.set(tool.name, tool.tokens);
  return [...tokens.values()].reduce((sum, count) => sum + count, 0);
}

/** Toolsets whose name, words or tools hold every word of the query. */
export function matching(list: readonly ToolsetInfo[], query: string): readonly ToolsetInfo[] {
  const words = query.toLowerCase().split(/\s+/).filter((word) => word !== '');
  if (words.length === 0) return list;
  return list.filter((toolset) => {
    const text = [toolset.name, toolset.description, ...toolset.tools.flatMap((tool) => [tool.name, tool.description])].join('\n').toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** When the oldest check was made; undefined when nothing was checked yet. */
export function oldestCheck(list: readonly ToolsetInfo[]): number | undefined {
  const times = list.flatMap((toolset) => (toolset.checkedAt === null ? [] : [toolset.checkedAt]));
  return times.length === 0 ? undefined : Math.min(...times);
}
