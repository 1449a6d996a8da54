/** How many sub-agents, how deep, how long, and with which tools (hermes-runtime 3.6, 7.3). */
import type { DelegatedTask } from '../../tools/context.ts';
import { positive, spawnLimits } from '../../tools/shared/delegation-limits.ts';
import type { ConfigStore } from '../ports.ts';

export interface DelegationLimits {
  /** Sub-agents of one call that work at the same time. */
  readonly concurrent: number;
  /** Background delegations of the whole host. */
  readonly background: number;
  /** Levels of sub-agents below a chat: 1 = they may not delegate further. */
  readonly depth: number;
  /** Model requests of one sub-agent. */
  readonly iterations: number;
  /** Undefined = no limit. */
  readonly timeoutSeconds: number | undefined;
  /** Model of sub-agents; undefined = the chat's. */
  readonly model: string | undefined;
}

/** Tools that need a person, outlive the task or would hide calls from the parent: never a sub-agent's. Each is alone in its toolset. */
const BLOCKED_TOOLSETS: readonly string[] = ['clarify', 'memory', 'messaging', 'code_execution'];
const DELEGATION = 'delegation';

export function readLimits(config: Pick<ConfigStore, 'get' | 'env'>): DelegationLimits {
  const timeout = config.get('delegation.child_timeout_seconds');
  const model = config.get('delegation.model');
  return {
    ...spawnLimits({ get: (path) => config.get(path), env: (name) => config.env(name) }),
    background: positive(config.get('delegation.max_async_children'), 3),
    iterations: positive(config.get('delegation.max_iterations'), 50),
    timeoutSeconds: typeof timeout === 'number' && timeout > 0 ? timeout : undefined,
    model: typeof model === 'string' && model !== '' ? model : undefined,
  };
}

export interface ToolsetChoice {
  /** Every toolset that can be switched, with its tools. */
  readonly known: ReadonlyMap<string, readonly string[]>;
  /** Names that are on in the chat that delegates. */
  readonly enabled: readonly string[];
  /** Tools of names that need not be switchable themselves (bundles, aliases). */
  resolve(names: readonly string[]): readonly string[];
}

/** The switches of a sub-agent's chat: on only what the chat has and the task asks for. A text when nothing is left. */
export function childToolsets(task: DelegatedTask, mayDelegate: boolean, choice: ToolsetChoice): Record<string, boolean> | string {
  const { toolsets } = task;
  const wanted = toolsets === undefined ? undefined : new Set(choice.resolve(toolsets));
  const isWanted = (name: string): boolean => wanted === undefined || toolsets?.includes(name) === true
    || ((choice.known.get(name)?.length ?? 0) > 0 && choice.known.get(name)?.every((tool) => wanted.has(tool)) === true);
  const allowed = choice.enabled.filter((name) => !BLOCKED_TOOLSETS.includes(name) && name !== DELEGATION && isWanted(name));
  if (toolsets !== undefined && toolsets.length > 0 && allowed.length === 0) {
    const possible = choice.enabled.filter((name) => !BLOCKED_TOOLSETS.includes(name) && name !== DELEGATION);
    return `None of the toolsets ${toolsets.join(', ')} is on in this chat and allowed for sub-agents. Possible are: ${possible.join(', ') || 'none'}.`;
  }
  const on = new Set(allowed);
  if (mayDelegate && choice.enabled.includes(DELEGATION)) on.add(DELEGATION);
  const names = new Set([...choice.known.keys(), ...choice.enabled, ...BLOCKED_TOOLSETS, DELEGATION]);
  return Object.fromEntries([...names].map((name) => [name, on.has(name)]));
}
