/** From what a person does on the picture of a page to what the page is told. Pure. */
import type { BrowserInput } from '../../../preload/contract/index.ts';

interface Box { readonly left: number; readonly top: number; readonly width: number; readonly height: number }

/** A point of the window as a point of the page, which is drawn as large as it fits into `box`. */
export function placeOf(point: { readonly x: number; readonly y: number }, box: Box, page: { readonly width: number; readonly height: number }): { readonly x: number; readonly y: number } {
  const within = (value: number, size: number): number => Math.round(Math.min(Math.max(value, 0), 1) * size);
  return { x: within((point.x - box.left) / box.width, page.width), y: within((point.y - box.top) / box.height, page.height) };
}

interface Pressed { readonly key: string; readonly ctrlKey: boolean; readonly altKey: boolean; readonly metaKey: boolean; readonly shiftKey: boolean; readonly isComposing?: boolean }

const NOT_SENT = new Set(['Control', 'Shift', 'Alt', 'Meta', 'AltGraph', 'CapsLock', 'Dead', 'Process', 'Unidentified', 'Tab']);

/** Undefined for what stays with the window: Tab leaves the page, modifiers alone are nothing. */
export function inputOfKey({ key, ctrlKey, altKey, metaKey, shiftKey, isComposing }: Pressed): BrowserInput | undefined {
  if (isComposing === true || NOT_SENT.has(key)) return undefined;
  const single = [...key].length === 1;
  if (single && !ctrlKey && !metaKey) return { kind: 'text', text: key };
  if (single && !/^[\w\-=[\];',./\\`]$/.test(key)) return undefined;
  const held = [ctrlKey ? 'Control+' : '', metaKey ? 'Meta+' : '', altKey ? 'Alt+' : '', shiftKey && !single ? 'Shift+' : ''].join('');
  return { kind: 'key', key: `${held}${key}` };
}

/** What was typed as an address; a bare name is one of the web. */
export function addressOf(typed: string): string | undefined {
  const text = typed.trim();
  const url = /^https?:\/\//i.test(text) ? text : `https://${text}`;
  return text !== '' && !/\s/.test(text) && URL.canParse(url) ? url : undefined;
}
