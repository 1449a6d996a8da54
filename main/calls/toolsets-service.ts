/** Toolsets as the panel shows them and as the next request has them: defaults in config.yaml, a chat's own switches on its row. */
import type { Session, ToolInfo, ToolsetInfo } from '../../preload/contract/index.ts';
import type { SessionId } from '../../preload/contract/ids.ts';
import { AppError } from '../../preload/contract/errors.ts';
import type { CheckContext, ToolRegistry } from '../../tools/registry.ts';
import type { Clock, ConfigStore, EventBus, Log, Storage, Toolsets } from '../ports.ts';
import type { CallsRuntime } from './calls.ts';
import type { AvailabilityPass } from './availability.ts';
import { explainAvailability } from './explain.ts';
import { nearestNames } from './nearest.ts';
import { createToolsetDefaults, DISABLED_KEY, GENERAL_KEY, listAt, namesIn, PLATFORM_KEY, SHORT_DISABLED_KEY } from './toolset-defaults.ts';

const USES_MS = 30 * 24 * 60 * 60 * 1_000;

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

export interface ToolsetsService extends Toolsets {
  close(): void;
}

export function createToolsets(parts: ToolsetsParts): ToolsetsService {
  const { registry, calls: { catalog, availability }, config, sessions } = parts;

  const defaults = createToolsetDefaults({ registry, catalog, config, log: parts.log });
  const { entriesOf, isDefault, isKnown, toolsOf } = defaults;

  const sessionOf = (sessionId: SessionId | undefined): Session | undefined => (sessionId === undefined ? undefined : sessions.get(sessionId));

  const enabledFor = (sessionId: SessionId | undefined): { enabled: string[]; disabled: string[] } => {
    const switches = sessionOf(sessionId)?.toolsets ?? {};
    const own = (name: string): boolean | undefined => (Object.hasOwn(switches, name) ? switches[name] : undefined);
    const { panel, on, off, offGroups } = defaults.now();
    // A chat may have switches for bundles too (a script's `--toolsets hermes-webhook`).
    const names = [...new Set([...panel, ...Object.keys(switches).filter(isKnown)])];
    const enabled = names.filter((name) => own(name) ?? (panel.has(name) ? on.has(name) : isDefault(name)));
    const unwanted = names.filter((name) => own(name) === false || (own(name) === undefined && off.has(name)));
    // A bundle that the chat switched on itself keeps what is in it: the other switches say "nothing besides".
    const kept = new Set(names.filter((name) => own(name) === true && !panel.has(name)).flatMap((name) => toolsOf(name)));
    // What the chat switched on itself beats a group that it lies in.
    const wanted = offGroups.size === 0 ? kept : new Set(names.filter((name) => own(name) === true).flatMap((name) => toolsOf(name)));
    for (const [group, tools] of offGroups) if (own(group) === undefined && !names.includes(group) && !tools.some((tool) => wanted.has(tool))) unwanted.push(group);
    return { enabled, disabled: unwanted.filter((name) => !catalog.resolveToolset(name).some((tool) => kept.has(tool))) };
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
    const disabled = defaults.now().off;
    if (!enabled) {
      if (!disabled.has(name)) await config.update(DISABLED_KEY, (current) => [...namesIn(current), name]);
    } else {
      for (const key of [DISABLED_KEY, SHORT_DISABLED_KEY]) {
        const list = listAt(config, key) ?? [];
        if (defaults.offWithout(list, name).length !== list.length || list.includes(name)) await config.update(key, (current) => defaults.offWithout(namesIn(current), name));
      }
      if (isDefault(name)) return;
      const key = listAt(config, PLATFORM_KEY) === undefined && listAt(config, GENERAL_KEY) !== undefined ? GENERAL_KEY : PLATFORM_KEY;
      // The list now says what is on, so what was on by default must be in it; `hermes-cli` stands for that.
      await config.update(key, (current) => [...(current === undefined ? ['hermes-cli'] : namesIn(current)), name]);
    }
  };

  const unfollow = config.onChange(() => {
    defaults.forget();
    parts.events.publish('toolsets', { type: 'changed' });
  });
  return {
    enabledFor,
    async list(sessionId, options = {}) {
      if (options.fresh === true) availability.invalidate();
      const names = [...defaults.now().panel];
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
