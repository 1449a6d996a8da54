/** What tokens cost, by config.yaml alone: prices change too often for a table of ours. */
import type { JsonValue } from '../../tools/context.ts';
import type { ConfigStore, Storage } from '../ports.ts';

export interface Prices { /** US dollars per million tokens. */ readonly in: number; readonly out: number }

function pricesIn(value: JsonValue | undefined): Prices | undefined {
  const fields = new Map(typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : []);
  const price = (name: string): number | undefined => {
    const given = fields.get(name);
    const number = typeof given === 'number' ? given : typeof given === 'string' && given.trim() !== '' ? Number(given) : Number.NaN;
    return Number.isFinite(number) && number >= 0 ? number : undefined;
  };
  const [into, out] = [price('price_in'), price('price_out')];
  return into === undefined && out === undefined ? undefined : { in: into ?? 0, out: out ?? 0 };
}

/** Servers answer `gpt-x` as `gpt-x-2026-01-01` and `openai/gpt-x`: still the model that was asked for. */
function isModel(answered: string, asked: string): boolean {
  const [one, other] = [answered, asked].map((name) => name.toLowerCase().replace(/^.*\//, '')) as [string, string]; // two in, two out
  return one === other || (one.startsWith(other) && /^[-:@]/.test(one.slice(other.length)));
}

/** US dollars of what a chat has used of `model` so far; null when config.yaml names neither `model.price_in` nor `model.price_out`. */
export function costOf(used: ReturnType<Storage['usage']['byModel']>, model: string, config: Pick<ConfigStore, 'get'>): { readonly usd: number; readonly uncountedTokens: number } | null {
  const prices = pricesIn(config.get('model'));
  if (prices === undefined) return null;
  let usd = 0;
  let uncountedTokens = 0;
  for (const { model: answered, promptTokens, completionTokens } of used) {
    if (isModel(answered, model)) usd += (promptTokens * prices.in + completionTokens * prices.out) / 1_000_000;
    else uncountedTokens += promptTokens + completionTokens;
  }
  return { usd, uncountedTokens };
}
