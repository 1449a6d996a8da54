/** Toolsets as the panel shows them and as the next request has them: defaults in config.yaml, a chat's own switches on its row. */
import type { Session, ToolInfo, ToolsetInfo } from '../../preload/contract/index.ts';
import type { SessionId } from '../../preload/contract/ids.ts';
import { AppError } from '../../preload/contract/errors.ts';
import type { JsonValue } from '../../tools/context.ts';
import type { CheckContext, ToolEntry, ToolRegistry } from '../../tools/registry.ts';
import { DEFAULT_OFF_TOOLSETS } from '../../tools/toolsets.ts';
import type { Clock, ConfigStore, EventBus, Log, Storage, Toolsets } from '../ports.ts';
import type { CallsRuntime } from './calls.ts';
import type { AvailabilityPass } from './availability.ts';
import { explainAvailability } from './explain.ts';
import { nearestNames } from './nearest.ts';

const USES_MS = 30 * 24 * 60 * 60 * 1_000;
/** Where Hermes keeps them: a list per platform, a list for all platforms, and what is off everywhere. */
const PLATFORM_KEY = 'platform_toolsets.cli';
const GENERAL_KEY = 'toolsets';
const DISABLED_KEY = 'agent.disabled_toolsets';
/** Read beside Hermes' own place; written never. */
const SHORT_DISABLED_KEY = 'disabled_toolsets';

export interface ToolsetsParts {
  readonly registry: ToolRegistry;
  readonly calls: Pick<CallsRuntime, 'catalog' | 'availability' | 'definitions'>;
  readonly config: Pick<ConfigStore, 'get' | 'update' | 'onChange'>;
  readonly checks: Pick<CheckContext, 'env' | 'path'>;
  readonly sessions: Pick<Storage['sessions'], 'get' | 'update'>;
  readonly uses: Pick<Storage['calls'], 'usesSince'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly events: EventBus;
  /** False when the chat's model is known not to call tools. */
  readonly modelCallsTools?: (sessionId: SessionId | undefined) => boolean;
}

/** Names in a list, or in a text between commas. */
function namesIn(value: JsonValue | undefined): string[] {
  if (typeof value === 'string') return value.split(',').map((name) => name.trim()).filter((name) => name !== '');
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [];
}

function listAt(config: Pick<ConfigStore, 'get'>, key: string): string[] | undefined {
  const value = config.get(key);
  return typeof value === 'string' || Array.isArray(value) ? namesIn(value) : undefined;
}

export interface ToolsetsService extends Toolsets {
  close(): void;
}

export function createToolsets(parts: ToolsetsParts): ToolsetsService {
  const { registry, calls: { catalog, availability }, config, sessions } = parts;

  /** Toolsets that a person switches: those that ship with abilities of their own, custom ones, plugins' and MCP servers'. */
  const switchable = (): string[] => catalog.getToolsetNames().filter((name) =>
    !catalog.isBundle(name) && (catalog.getToolset(name)?.includes.length === 0 || isCustom(name)) && entriesOf(name).length > 0);
  const isCustom = (name: string): boolean => Object.hasOwn(customToolsets(), name);
  const customToolsets = (): object => {
    const value = config.get('custom_toolsets');
    return typeof value === 'object' && value !== null ? value : {};
  };
  const entriesOf = (name: string): ToolEntry[] => catalog.resolveToolset(name).map((tool) => registry.getEntry(tool)).filter((entry) => entry !== undefined);

  const disabledByDefault = (): string[] => [...new Set([...(listAt(config, DISABLED_KEY) ?? []), ...(listAt(config, SHORT_DISABLED_KEY) ?? [])])];
  const toolsOf = (name: string): readonly string[] => catalog.legacyTools(name) ?? catalog.resolveToolset(name);
  const isKnown = (name: string): boolean => catalog.validateToolset(name) || catalog.legacyTools(name) !== undefined;
  const told = new Set<string>();
  const tellUnknown = (key: string, name: string): void => {
    if (told.has(`${key}:${name}`)) return;
    told.add(`${key}:${name}`);
    const near = nearestNames(name, catalog.getToolsetNames());
    parts.log.warn(`${key} in config.yaml names an unknown toolset '${name}'; it is ignored.${near.length > 0 ? ` Did you mean ${near.join(' or ')}?` : ''}`);
  };
  /** What the configuration lists, the platform's list before the general one. A list of which nothing is known counts as none: it would leave a chat without tools. */
  const configured = (): string[] | undefined => {
    for (const key of [PLATFORM_KEY, GENERAL_KEY]) {
      const names = listAt(config, key);
      if (names === undefined) continue;
      for (const name of names) if (!isKnown(name)) tellUnknown(key, name);
      const known = names.filter(isKnown);
      if (known.length > 0 || names.length === 0) return known;
    }
    return undefined;
  };

  /** Whether a new chat has it. A bundle in the configuration stands for every toolset within it that is not off by default. */
  const isDefault = (name: string): boolean => {
    if (disabledByDefault().includes(name)) return false;
    const names = configured();
    if (names === undefined) return !DEFAULT_OFF_TOOLSETS.has(name) && !isCustom(name);
    if (names.includes(name)) return true;
    if (DEFAULT_OFF_TOOLSETS.has(name) || isCustom(name)) return false;
    // What servers and plugins bring is on unless it is switched off: they were added on purpose.
    if (isForeign(name)) return true;
    const covering = new Set(names.filter((other) => catalog.isBundle(other) || !catalog.validateToolset(other) || ['all', '*'].includes(other)
      || (catalog.getToolset(other)?.includes.length ?? 0) > 0).flatMap(toolsOf));
    // The pure table: a tool that a plugin added to a toolset says nothing about the toolset.
    return catalog.resolveToolset(name, { includeRegistry: false }).some((tool) => covering.has(tool));
  };
  const isForeign = (name: string): boolean => entriesOf(name).some((entry) => entry.toolset.startsWith('mcp-') || entry.owner !== undefined);

  const sessionOf = (sessionId: SessionId | undefined): Session | undefined => (sessionId === undefined ? undefined : sessions.get(sessionId));

  const enabledFor = (sessionId: SessionId | undefined): { enabled: string[]; disabled: string[] } => {
    const switches = sessionOf(sessionId)?.toolsets ?? {};
    const own = (name: string): boolean | undefined => (Object.hasOwn(switches, name) ? switches[name] : undefined);
    // A chat may have switches for bundles too (a script's `--toolsets hermes-webhook`).
    const panel = new Set(switchable());
    const names = [...new Set([...panel, ...Object.keys(switches).filter(isKnown)])];
    const enabled = names.filter((name) => own(name) ?? isDefault(name));
    const off = names.filter((name) => own(name) === false || (own(name) === undefined && disabledByDefault().includes(name)));
    // A bundle that the chat switched on itself keeps what is in it: the other switches say "nothing besides".
    const kept = new Set(names.filter((name) => own(name) === true && !panel.has(name)).flatMap((name) => toolsOf(name)));
    return { enabled, disabled: off.filter((name) => !catalog.resolveToolset(name).some((tool) => kept.has(tool))) };
  };

  const info = (name: string, sessionId: SessionId | undefined, pass: AvailabilityPass, offered: ReadonlySet<string>, uses: ReadonlyMap<string, number>): ToolsetInfo => {
    const entries = entriesOf(name);
    const switches = sessionOf(sessionId)?.toolsets ?? {};
    const inChat = Object.hasOwn(switches, name) ? switches[name] ?? null : null;
    const enabledByDefault = isDefault(name);
    const verdicts = entries.map((entry) => ({ entry, verdict: pass.verdict(entry) }));
    const reason = explainAvailability({
      name, enabledByDefault, inChat, tools: verdicts, modelCallsTools: parts.modelCallsTools?.(sessionId) ?? true,
      dropped: sessionId === undefined ? new Set() : parts.calls.definitions.droppedFor(sessionId),
    }, parts.checks);
    const tools = entries.map((entry): ToolInfo => {
      const prepared = parts.calls.definitions.prepare(entry, offered);
      return {
        name: entry.name, emoji: entry.emoji, description: prepared?.definition.function.description ?? entry.description,
        parameters: { ...prepared?.definition.function.parameters }, tokens: prepared?.tokens ?? 0, available: pass.available(entry), toolset: entry.toolset,
        ...(entry.owner === undefined ? {} : { owner: entry.owner.id }), ...(entry.replaces === undefined ? {} : { replaces: entry.replaces }),
      };
    });
    const checked = verdicts.map(({ verdict }) => verdict?.checkedAt).filter((at) => at !== undefined);
    return {
      name, description: catalog.getToolset(name)?.description ?? '', tools, enabled: inChat ?? enabledByDefault, enabledByDefault, inChat,
      available: entries.some(pass.available), reason: reason ?? null, checkedAt: checked.length === 0 ? null : Math.min(...checked),
      tokens: tools.reduce((sum, tool) => sum + (tool.available ? tool.tokens : 0), 0), uses30d: entries.reduce((sum, entry) => sum + (uses.get(entry.name) ?? 0), 0),
    };
  };

  const setDefault = async (name: string, enabled: boolean): Promise<void> => {
    const disabled = disabledByDefault();
    if (!enabled) {
      if (!disabled.includes(name)) await config.update(DISABLED_KEY, (current) => [...namesIn(current), name]);
    } else {
      for (const key of [DISABLED_KEY, SHORT_DISABLED_KEY]) {
        if (listAt(config, key)?.includes(name) === true) await config.update(key, (current) => namesIn(current).filter((other) => other !== name));
      }
      if (isDefault(name)) return;
      const key = listAt(config, PLATFORM_KEY) === undefined && listAt(config, GENERAL_KEY) !== undefined ? GENERAL_KEY : PLATFORM_KEY;
      // The list now says what is on, so what was on by default must be in it; `hermes-cli` stands for that.
      await config.update(key, (current) => [...(current === undefined ? ['hermes-cli'] : namesIn(current)), name]);
    }
  };

  const unfollow = config.onChange(() => parts.events.publish('toolsets', { type: 'changed' }));
  return {
    enabledFor,
    async list(sessionId, options = {}) {
      if (options.fresh === true) availability.invalidate();
      const names = switchable();
      const { enabled } = enabledFor(sessionId);
      const pass = await availability.pass(names.flatMap(entriesOf));
      const offered = new Set(catalog.resolveMultipleToolsets(enabled).filter((tool) => { const entry = registry.getEntry(tool); return entry !== undefined && pass.available(entry); }));
      const uses = parts.uses.usesSince(parts.clock.now() - USES_MS);
      return names.map((name) => info(name, sessionId, pass, offered, uses));
    },
    async set(name, enabled, sessionId) {
      if (!catalog.validateToolset(name)) {
        const near = nearestNames(name, catalog.getToolsetNames());
        throw new AppError('not-found', `There is no toolset '${name}'.`, { hint: near.length > 0 ? `Did you mean ${near.join(' or ')}?` : 'See the list of toolsets.' });
      }
      if (sessionId === undefined) {
        if (enabled === null) throw new AppError('request/not-possible', 'A default is on or off.', { hint: 'Only the switch of a chat can be inherited.' });
        await setDefault(name, enabled);
      } else {
        const session = sessions.get(sessionId);
        if (session === undefined) throw new AppError('not-found', `There is no chat ${sessionId}.`);
        const { [name]: _before, ...others } = session.toolsets;
        sessions.update(sessionId, { toolsets: enabled === null ? others : { ...others, [name]: enabled } });
        // Whoever switches wants to know now (hermes-runtime 1.7); a default is a change of config.yaml, which does the same.
        availability.invalidate();
      }
      parts.events.publish('toolsets', { type: 'changed' });
    },
    close: unfollow,
  };
}
