import headless from '@xterm/headless';
import type { Terminal as Xterm } from '@xterm/xterm';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../main/clock.ts';
import { Screen } from '../../../main/terminals/screen.ts';
import { disarm } from '../../../renderer/features/terminals/screen/hostile.ts';
import { HOSTILE_OUTPUT, RECOVER } from '../../corpora/terminal-hostile.ts';

/** What a terminal may answer: a report in its own form, without a line end and without a word of the output. */
const REPORT = /^(?:\x1b\[[?>=]?[\d;]*[cnRty$]+|\x1bP[01]\$r[\d;"a-z ]*\x1b\\|\x1b\](?:4;\d+|1[012]);rgb:[0-9a-f/]+(?:\x07|\x1b\\)|\x1bP[>!]\|[\w.() -]*\x1b\\)*$/;

describe.each(HOSTILE_OUTPUT)('output that holds: %s', (_name, output) => {
  test('makes the view answer nothing, set no clipboard and no title, and draws what follows', async () => {
    const terminal = new headless.Terminal({ cols: 80, rows: 24, allowProposedApi: true });
    const answers: string[] = [];
    const titles: string[] = [];
    let clipboard = 0;
    terminal.onData((data) => answers.push(data));
    terminal.onTitleChange((title) => titles.push(title));
    disarm(terminal as unknown as Xterm, { onClipboard: () => { clipboard += 1; } }); // the parser is the same in both
    await new Promise<void>((resolve) => { terminal.write(`${output}${RECOVER}after`, resolve); });
    expect({ answers, titles }).toEqual({ answers: [], titles: [] });
    expect(clipboard > 0).toBe(output.includes('\x1b]52'));
    expect(terminal.buffer.active.getLine(0)?.translateToString(true)).toBe('after');
    terminal.dispose();
  });

  test('makes the host\'s screen answer by reports at most: no line end, no text of the output', async () => {
    const replies: string[] = [];
    const screen = new Screen({
      cols: 80, rows: 24, convertLineFeeds: false, isWatched: () => true, clock: systemClock, onBusy: () => undefined, onAlternate: () => undefined, onReply: (data) => replies.push(data),
    });
    screen.write(Buffer.from(`${output}${RECOVER}after`, 'latin1'));
    expect(await screen.settled(() => screen.visibleText())).toBe('after');
    expect(replies.join('')).toMatch(REPORT);
    screen.dispose();
  });
});
