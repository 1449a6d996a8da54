/** Patterns of the person's own that stop a command like the built-in ones do: `approvals.patterns` in config.yaml. */
import type { JsonValue } from '../../tools/context.ts';
import type { UserPattern } from './detect.ts';

/** More than a person writes; each is held against each command. */
const MOST_PATTERNS = 500;
const LONGEST_PATTERN = 1_000;

/**
 * Each item is a glob over `program arguments`, or `{pattern, description}`; the description is the approval key. Items of another form are left
 * out and told through `warn`, once for each reading.
 */
export function userPatterns(value: JsonValue | undefined, warn: (message: string) => void): readonly UserPattern[] {
  if (value === undefined || value === null) return [];
  const items = Array.isArray(value) ? value as readonly JsonValue[] : [value]; // cast: Array.isArray does not narrow readonly arrays
  if (items.length > MOST_PATTERNS) warn(`approvals.patterns in config.yaml has more than ${MOST_PATTERNS} items: the first ones count`);
  return items.slice(0, MOST_PATTERNS).flatMap((item) => {
    const read = patternOf(item);
    if (read === undefined) warn(`an item of approvals.patterns in config.yaml is no pattern and is left out: ${JSON.stringify(item).slice(0, 200)}`);
    return read ?? [];
  });
}

function patternOf(item: JsonValue): UserPattern | undefined {
  const isFields = typeof item === 'object' && item !== null && !Array.isArray(item);
  const fields = isFields ? item as Readonly<Record<string, JsonValue | undefined>> : undefined; // cast: Array.isArray does not narrow readonly arrays
  const pattern = isFields ? fields?.['pattern'] : item;
  const description = fields?.['description'];
  if (typeof pattern !== 'string' || pattern.trim() === '' || pattern.length > LONGEST_PATTERN) return undefined;
  const named = typeof description === 'string' && description.trim() !== '' ? description.trim() : `your pattern ${pattern.trim()}`;
  return { pattern: pattern.trim(), description: named };
}
