/** Marks what was found in what is drawn, through the browser's own highlights: no element is touched, so React's are safe. */
import type { Place } from './find.ts';
import './find.css';

const ALL = 'found';
const CURRENT = 'found-now';
/** What stands in a message in its own words; its foot and its buttons do not count. */
const WORDS = '[data-words], .markdown';
/** Room kept around a place that is brought into view. */
const MARGIN_PX = 60;

export interface Marks {
  /** Marks all matches that are drawn, and the place. */
  draw(pattern: RegExp | undefined, place: Place | undefined): void;
  /** Scrolls the place into view, in everything that scrolls around it. False when it is not drawn. */
  bring(pattern: RegExp, place: Place): boolean;
  clear(): void;
}

export function createMarks(section: HTMLElement): Marks {
  return {
    draw(pattern, place) {
      const rows = pattern === undefined ? [] : [...section.querySelectorAll('[data-message]')];
      const ranges = pattern === undefined ? [] : rows.flatMap((row) => [...row.querySelectorAll(`${WORDS}, [data-call]`)].flatMap((part) => rangesIn(part, pattern)));
      const now = pattern === undefined || place === undefined ? undefined : rangeOf(section, pattern, place);
      CSS.highlights.set(ALL, new Highlight(...ranges));
      const current = new Highlight(...(now === undefined ? [] : [now]));
      current.priority = 1;
      CSS.highlights.set(CURRENT, current);
    },
    bring(pattern, place) {
      const part = partOf(section, place);
      if (part === null) return false;
      const range = rangeOf(section, pattern, place);
      bringIntoView(range ?? part);
      // Words that only their source has, such as the address of a link: the message is pointed out.
      if (range === undefined) part.animate([{ backgroundColor: 'var(--color-accent-soft)' }, { backgroundColor: 'transparent' }], { duration: 1_600, easing: 'ease-out' });
      return true;
    },
    clear() {
      CSS.highlights.delete(ALL);
      CSS.highlights.delete(CURRENT);
    },
  };
}

/** Of the places from `index` on in the message that is seen first, the first that is not above `top` (px); behind them where all are. */
export function firstBelow(section: HTMLElement, pattern: RegExp, places: readonly Place[], index: number, top: number): number {
  const start = places[index];
  if (start === undefined) return index;
  let at = index;
  for (let place: Place | undefined = start; place?.messageId === start.messageId; place = places[at]) {
    if ((rangeOf(section, pattern, place)?.getBoundingClientRect().bottom ?? Infinity) > top) return at;
    at += 1;
  }
  return Math.min(at, places.length - 1);
}

export function rowOf(section: HTMLElement, { messageId }: Place): HTMLElement | null {
  return section.querySelector<HTMLElement>(`[data-message="${CSS.escape(messageId)}"]`);
}

function partOf(section: HTMLElement, place: Place): HTMLElement | null {
  const row = rowOf(section, place);
  return row === null || place.callId === undefined ? row : row.querySelector<HTMLElement>(`[data-call="${CSS.escape(place.callId)}"]`) ?? row;
}

function rangeOf(section: HTMLElement, pattern: RegExp, place: Place): Range | undefined {
  const part = partOf(section, place);
  if (part === null) return undefined;
  const ranges = place.callId === undefined ? [...part.querySelectorAll(WORDS)].flatMap((words) => rangesIn(words, pattern)) : rangesIn(part, pattern);
  return ranges[Math.min(place.nth, ranges.length - 1)];
}

/** Matches in the text of an element, also where it goes over several elements. */
function rangesIn(part: Element, pattern: RegExp): Range[] {
  const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
  const nodes: { readonly node: Node; readonly start: number }[] = [];
  let text = '';
  while (walker.nextNode() !== null) {
    nodes.push({ node: walker.currentNode, start: text.length });
    text += walker.currentNode.textContent ?? '';
  }
  const at = (offset: number): { readonly node: Node; readonly offset: number } | undefined => {
    const found = nodes.findLast(({ start }) => start <= offset);
    return found === undefined ? undefined : { node: found.node, offset: offset - found.start };
  };
  return [...text.matchAll(pattern)].flatMap((match) => {
    const start = at(match.index);
    const end = at(match.index + match[0].length - 1);
    if (start === undefined || end === undefined) return [];
    const range = new Range();
    range.setStart(start.node, start.offset);
    range.setEnd(end.node, end.offset + 1);
    return [range];
  });
}

function bringIntoView(what: Range | HTMLElement): void {
  const first = what instanceof Range ? what.startContainer.parentElement : what.parentElement;
  for (let box = first; box !== null; box = box.parentElement) {
    if (box.scrollHeight <= box.clientHeight || !/auto|scroll/.test(getComputedStyle(box).overflowY)) continue;
    const place = what.getBoundingClientRect();
    const view = box.getBoundingClientRect();
    const margin = Math.min(MARGIN_PX, view.height / 4);
    if (place.top < view.top + margin) box.scrollTop -= view.top + margin - place.top;
    else if (place.bottom > view.bottom - margin) box.scrollTop += Math.min(place.bottom - view.bottom + margin, place.top - view.top - margin);
  }
}
