import { describe, expect, test } from 'vitest';
import { approvalCard, segments } from '../../../main/shells/cli/approval-card.ts';
import { ARMING_MS, askApproval } from '../../../main/shells/cli/approval-prompt.ts';
import { painter } from '../../../main/shells/cli/paint.ts';
import { visible, visibleProse } from '../../../main/shells/cli/visible.ts';
import { approvalRecord, testStreams, type TestTerminalStreams } from '../../support/cli-host.ts';

const plain = painter(false);
const never = new AbortController().signal;

/** A key pressed by itself; resolves when the prompt has seen it. */
async function press(streams: TestTerminalStreams, keys: string): Promise<void> {
  streams.stdin.write(keys);
  await new Promise((resolve) => { setImmediate(resolve); });
}

describe('the card', () => {
  test('shows the whole command with exactly the culprit marked', () => {
    expect(approvalCard(approvalRecord({ command: 'rm -rf /srv/data' }), plain)).toContain('│ ⟦rm -rf⟧ /srv/data\n');
  });

  test('puts every line of a long command behind a bar, so that none passes for the card\'s own words', () => {
    const card = approvalCard(approvalRecord({ command: 'echo hi\n  • safe: does nothing\nrm -rf /' }), plain);
    expect(card.split('\n').filter((line) => line.includes('safe'))).toEqual(['  │   • safe: does nothing']);
  });

  test('writes out what would hide or act on a terminal, in the command and in the model\'s own words', () => {
    const card = approvalCard(approvalRecord({ command: 'rm -rf \u001b[2K\u202e x\r', wants: 'see\u001b]0;title\u0007' }), plain);
    expect(card).toContain('‹\\e›[2K‹U+202E› x‹\\r›');
    expect(card).toContain('see‹\\e›]0;title‹\\a›');
    expect(card).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f\u202e]/);
  });

  test('never loses a character of the command, whatever the findings are', () => {
    const finding = approvalRecord().review.findings[0]!;
    for (const [start, end] of [[0, 0], [0, 3], [2, 99], [3, 3], [5, 4]] as const) {
      expect(segments('abcdef', [{ ...finding, start, end }]).map((span) => span.text).join('')).toBe('abcdef');
    }
    expect(segments('', [finding])).toEqual([]);
  });
});

describe('hidden characters', () => {
  test('are all written out in commands: controls, bidi, zero width, tags, lone surrogates', () => {
    expect(visible('\u0000\u0085\u200b\u2066\ufeff\u{e0041}\ud800\u00ad')).toBe('‹\\0›‹U+0085›‹U+200B›‹U+2066›‹U+FEFF›‹U+E0041›‹U+D800›‹U+00AD›');
  });

  test('leave an emoji whole in prose, and stand out everywhere else', () => {
    expect(visibleProse('👩‍💻 ok ❤️')).toBe('👩‍💻 ok ❤️');
    expect(visibleProse('a\u200db')).toBe('a‹U+200D›b');
  });
});

describe('the question', () => {
  test.each([['o', 'once'], ['s', 'session'], ['a', 'always'], ['d', 'deny'], ['O', 'once'], ['\u0004', 'deny']])('takes the key %j for %s once it is armed', async (key, choice) => {
    const streams = testStreams({ interactive: true });
    const answer = askApproval(approvalRecord(), streams, never);
    streams.clock.pass(ARMING_MS);
    await press(streams, key);
    expect(await answer).toEqual({ kind: 'decided', choice });
    expect(streams.raw).toEqual([true, false]);
  });

  test('throws away what was typed before it was shown and what comes too soon after', async () => {
    const streams = testStreams({ interactive: true });
    streams.stdin.write('oooo');
    const answer = askApproval(approvalRecord(), streams, never);
    await press(streams, 'a');
    streams.clock.pass(ARMING_MS - 1);
    await press(streams, 'o');
    streams.clock.pass(1);
    await press(streams, 'd');
    expect(await answer).toEqual({ kind: 'decided', choice: 'deny' });
  });

  test('does not take pasted text for an answer', async () => {
    const streams = testStreams({ interactive: true });
    const answer = askApproval(approvalRecord(), streams, never);
    streams.clock.pass(ARMING_MS);
    await press(streams, 'once\n');
    await press(streams, '\n');
    await press(streams, 'd');
    expect(await answer).toEqual({ kind: 'decided', choice: 'deny' });
  });

  test('does not offer or take what the request does not allow', async () => {
    const streams = testStreams({ interactive: true });
    const answer = askApproval(approvalRecord({ allowAlways: false, allowSession: false }), streams, never);
    streams.clock.pass(ARMING_MS);
    await press(streams, 'a');
    await press(streams, 's');
    await press(streams, 'o');
    expect(await answer).toEqual({ kind: 'decided', choice: 'once' });
    expect(streams.err()).not.toContain('[a]lways');
  });

  test('takes a reason, edited with backspace, together with the denial', async () => {
    const streams = testStreams({ interactive: true });
    const answer = askApproval(approvalRecord(), streams, never);
    streams.clock.pass(ARMING_MS);
    await press(streams, 'r');
    await press(streams, 'use mvx\u007f instead\r');
    expect(await answer).toEqual({ kind: 'decided', choice: 'deny', reason: 'use mv instead' });
  });

  test('is interrupted by Ctrl-C even before it is armed', async () => {
    const streams = testStreams({ interactive: true });
    const answer = askApproval(approvalRecord(), streams, never);
    await press(streams, '\u0003');
    expect(await answer).toEqual({ kind: 'interrupted' });
  });

  test('goes away when it is settled elsewhere', async () => {
    const streams = testStreams({ interactive: true });
    const elsewhere = new AbortController();
    const answer = askApproval(approvalRecord(), streams, elsewhere.signal);
    elsewhere.abort();
    expect(await answer).toEqual({ kind: 'withdrawn' });
    expect(streams.raw).toEqual([true, false]);
  });
});
