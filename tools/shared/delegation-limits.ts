/** How many sub-agents at once and how deep, as the settings say (hermes-runtime 7.3): what the tool tells the model is what the agent keeps to. */

interface Settings { get(path: string): unknown; env(name: string): string | undefined }

export function positive(value: unknown, fallback: number): number {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isInteger(number) && number > 0 ? number : fallback;
}

/** `depth`: levels of sub-agents below a chat; 1 = they may not delegate further. */
export function spawnLimits({ get, env }: Settings): { readonly concurrent: number; readonly depth: number } {
  return {
    concurrent: positive(env('DELEGATION_MAX_CONCURRENT_CHILDREN') ?? get('delegation.max_concurrent_children'), 3),
    depth: positive(get('delegation.max_spawn_depth'), 1),
  };
}
