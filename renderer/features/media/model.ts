/** Which files a tool call has to show. Pure. */
import type { ToolCall } from '../../../preload/contract/index.ts';

/** More are in the answer itself. */
const MOST = 8;

/** Paths of pictures and sound: those the answer names as `MEDIA:<path>`, and the one that was looked at. */
export function mediaPaths(call: Pick<ToolCall, 'name' | 'arguments' | 'result'>): readonly string[] {
  const paths = new Set<string>();
  // The answer may be cut short, then it is no JSON any more.
  for (const [, written = ''] of (call.result ?? '').matchAll(/"media_tag":\s?"MEDIA:((?:[^"\\]|\\.)+)"/g)) {
    const path = unescaped(written);
    if (path !== undefined) paths.add(path);
  }
  const looked = call.name === 'vision_analyze' ? lookedAt(call.arguments) : undefined;
  if (looked !== undefined) paths.add(looked);
  return [...paths].slice(0, MOST);
}

/** Last part of a path. */
export function nameOf(path: string): string {
  return path.split('/').at(-1) ?? path;
}

function unescaped(written: string): string | undefined {
  try {
    return String(JSON.parse(`"${written}"`));
  } catch {
    return undefined; // not written by a tool of ours
  }
}

function lookedAt(args: string): string | undefined {
  try {
    const value: unknown = JSON.parse(args);
    const path = typeof value === 'object' && value !== null && 'image_url' in value ? value.image_url : undefined;
    return typeof path === 'string' && path.startsWith('/') ? path : undefined;
  } catch {
    return undefined; // the card says that the arguments are no JSON
  }
}
