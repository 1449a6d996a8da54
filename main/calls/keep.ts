/** Keeping what was made: frozen, and no more of it than is of use. */

/** The value with all that it holds frozen. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const item of Object.values(value)) deepFreeze(item);
  return value;
}

/** Takes the first one away when a map has become larger than it may be. */
export function dropOldest(map: Map<string, unknown>, most: number): void {
  const oldest = map.keys().next();
  if (map.size > most && oldest.done !== true) map.delete(oldest.value);
}
