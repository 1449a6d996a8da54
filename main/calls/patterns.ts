/** Patterns of schemas that come from anywhere: what this engine cannot read accepts anything, and whoever wrote it checks again. */

const compiled = new Map<string, Pattern>();
const MOST_COMPILED = 512;
const ANYTHING = { test: () => true };

interface Pattern { test(text: string): boolean }

function readable(pattern: string, flags: string): Pattern | undefined {
  try {
    return new RegExp(pattern, flags);
  } catch {
    // Written for another engine.
    return undefined;
  }
}

export function patternOf(pattern: string, flags = 'u'): Pattern {
  const key = `${flags}/${pattern}`;
  let known = compiled.get(key);
  if (known === undefined) {
    if (compiled.size >= MOST_COMPILED) compiled.clear();
    compiled.set(key, known = readable(pattern, flags) ?? readable(pattern, '') ?? ANYTHING);
  }
  return known;
}
/** How the schema compiler would write it into code that stands alone, which it is not asked for. */
patternOf.code = 'patternOf';
