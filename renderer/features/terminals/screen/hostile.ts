/**
 * Control sequences are untrusted input. The view draws; it never answers a program's questions (the host's own screen does), never
 * touches the clipboard, never takes a program's word for a title.
 */
import type { IDisposable, Terminal } from '@xterm/xterm';

const SWALLOW = (): boolean => true;

/** OSC numbers that ask, store or send: title and icon, colours asked for, working directory, clipboard, notifications, file transfer. */
const SWALLOWED_OSC = [0, 1, 2, 7, 9, 50, 51, 52, 777, 1337] as const;

/** Sequences that are carried out as often as they say; above a count that no program means they do nothing, or the page would freeze. */
const COUNTED = ['@', 'L', 'M', 'P', 'S', 'T', 'X', 'b', 'I', 'Z'] as const;
const MOST_REPEATS = 10_000;

export interface HostileOptions {
  /** Called when a program tried to set or read the clipboard. */
  readonly onClipboard: () => void;
}

export function disarm(terminal: Terminal, options: HostileOptions): IDisposable[] {
  const { parser } = terminal;
  const oscs = SWALLOWED_OSC.map((number) => parser.registerOscHandler(number, () => {
    if (number === 52) options.onClipboard();
    return true;
  }));
  /** Colour set-ups may pass, colour questions may not. */
  const colours = [4, 10, 11, 12].map((number) => parser.registerOscHandler(number, (data) => data.includes('?')));
  const questions = [
    parser.registerCsiHandler({ final: 'c' }, SWALLOW), // DA1
    parser.registerCsiHandler({ prefix: '>', final: 'c' }, SWALLOW), // DA2
    parser.registerCsiHandler({ prefix: '=', final: 'c' }, SWALLOW), // DA3
    parser.registerCsiHandler({ prefix: '>', final: 'q' }, SWALLOW), // XTVERSION
    parser.registerCsiHandler({ final: 'n' }, SWALLOW), // DSR: status, cursor position
    parser.registerCsiHandler({ prefix: '?', final: 'n' }, SWALLOW),
    parser.registerCsiHandler({ final: 't' }, SWALLOW), // window size and title reports
    parser.registerCsiHandler({ intermediates: '$', final: 'p' }, SWALLOW), // DECRQM
    parser.registerCsiHandler({ prefix: '?', intermediates: '$', final: 'p' }, SWALLOW),
    parser.registerDcsHandler({ intermediates: '$', final: 'q' }, SWALLOW), // DECRQSS
    parser.registerDcsHandler({ intermediates: '+', final: 'q' }, SWALLOW), // XTGETTCAP
  ];
  const counted = COUNTED.map((final) => parser.registerCsiHandler({ final }, ([count]) => typeof count === 'number' && count > MOST_REPEATS));
  return [...oscs, ...colours, ...questions, ...counted];
}
