/** Pictures in a request. */
import type { ModelMessage } from './types.ts';

export function hasPictures(messages: readonly ModelMessage[]): boolean {
  return messages.some((message) => message.role === 'user' && typeof message.content !== 'string' && message.content.some(({ type }) => type === 'image_url'));
}
