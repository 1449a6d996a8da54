/** Which models take part: `moa.reference_models` and `moa.aggregator_model` of config.yaml, else strong ones of several makers at OpenRouter. */

/** By OpenRouter's names. Several makers, because models of one maker make the same mistakes. */
const REFERENCES = ['anthropic/claude-opus-4.5', 'google/gemini-3-pro-preview', 'openai/gpt-5.1', 'deepseek/deepseek-v3.2'];
const AGGREGATOR = 'anthropic/claude-opus-4.5';
/** More would cost more than they add. */
const MAX_REFERENCES = 8;

export interface Panel {
  readonly references: readonly string[];
  readonly aggregator: string;
  /** Answers that must arrive; one is enough in Hermes (7.11). */
  readonly minimum: number;
}

type Read = (path: string) => unknown;

function names(value: unknown): string[] {
  const listed: readonly unknown[] = Array.isArray(value) ? value : [];
  return [...new Set(listed.filter((name): name is string => typeof name === 'string' && name.trim() !== '').map((name) => name.trim()))];
}

export function panel(config: Read): Panel {
  const named = names(config('moa.reference_models')).slice(0, MAX_REFERENCES);
  const aggregator = config('moa.aggregator_model');
  const references = named.length > 0 ? named : REFERENCES;
  const minimum = Number(config('moa.min_successful_references'));
  return {
    references, aggregator: typeof aggregator === 'string' && aggregator.trim() !== '' ? aggregator.trim() : AGGREGATOR,
    minimum: Number.isInteger(minimum) && minimum > 0 ? Math.min(minimum, references.length) : 1,
  };
}

/** OpenRouter's key, or an endpoint of one's own together with the models it serves. */
export function isSetUp(config: Read, env: (name: string) => string | undefined): boolean {
  if ((env('OPENROUTER_API_KEY') ?? '').trim() !== '') return true;
  return names(config('moa.reference_models')).length > 0 && typeof config('moa.aggregator_model') === 'string';
}
