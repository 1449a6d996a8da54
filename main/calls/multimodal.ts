/** Results with pictures: the model's history holds text, so what stands for them is words (hermes-runtime 1.9). */
import type { MultimodalResult } from '../../tools/registry.ts';
import { isRecord } from './schema-shape.ts';

/** What a part is, without its bytes. */
function partWords(part: unknown): string {
  if (!isRecord(part)) return '[a part that cannot be shown]';
  if (typeof part['text'] === 'string') return part['text'];
  const type = typeof part['mimeType'] === 'string' ? part['mimeType'] : typeof part['type'] === 'string' ? part['type'] : 'a part';
  return `[${type}, not shown as text]`;
}

/** Its summary, else its texts with a word for each other part. */
export function textOfMultimodal({ text_summary: summary, content }: MultimodalResult): string {
  return summary ?? content.map(partWords).join('\n');
}

/** With other words for it, and each text of its parts through `change`. */
export function withTexts(result: MultimodalResult, summary: string, change: (text: string) => string): MultimodalResult {
  return { ...result, content: result.content.map((part) => (isRecord(part) && typeof part['text'] === 'string' ? { ...part, text: change(part['text']) } : part)), text_summary: summary };
}
