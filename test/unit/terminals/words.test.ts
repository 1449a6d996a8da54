import { describe, expect, test } from 'vitest';
import { plainText } from '../../../tools/shared/plain-text.ts';
import { endInWords } from '../../../main/terminals/reasons.ts';

describe('why a process ended, in words', () => {
  test.each([
    [{ exitCode: 0, signal: null, why: 'exit' }, 'finished'],
    [{ exitCode: 3, signal: null, why: 'exit' }, 'exit code 3'],
    [{ exitCode: null, signal: 'SIGKILL', why: 'exit' }, 'killed by signal 9, probably out of memory'],
    [{ exitCode: 137, signal: null, why: 'exit' }, 'exit code 137: a process of it was killed by signal 9, probably out of memory'],
    [{ exitCode: null, signal: 'SIGSEGV', why: 'exit' }, 'killed by signal 11, it crashed (invalid memory access)'],
    [{ exitCode: null, signal: 'SIGTERM', why: 'timeout' }, 'stopped after its time limit'],
    [{ exitCode: null, signal: 'SIGTERM', why: 'abort' }, 'stopped by request'],
    [{ exitCode: null, signal: null, why: 'lost' }, 'the connection to it was lost; it may still be running'],
    [{ exitCode: null, signal: null, why: 'lost', detail: 'ssh closed' }, 'ssh closed'],
  ] as const)('%j is told as "%s"', (end, words) => {
    expect(endInWords(end)).toBe(words);
  });

  test('nothing is guessed about a signal of ours', () => {
    expect(endInWords({ exitCode: null, signal: 'SIGKILL', why: 'exit' }, true)).toBe('killed by signal 9 (SIGKILL)');
  });
});

describe('terminal output as plain text', () => {
  test.each([
    ['\x1b[31mred\x1b[0m', 'red'],
    ['a\r\nb\r\n', 'a\nb\n'],
    ['10%\r50%\r100%\n', '100%\n'],
    ['bell\x07 and nul\0', 'bell and nul'],
    ['\x1b]0;title\x07text', 'text'],
    ['tab\tstays', 'tab\tstays'],
    ['prompt\r', 'prompt'],
    ['\x1b[1mbold\x1b[0m\r\n1%\r2%\r\nbell\x07', 'bold\n2%\nbell'],
    // What vim, terminals and highlighters send: private marks, sub-parameters, intermediate bytes, strings for the device.
    ['\x1b[>4;2mvim\x1b[?4m', 'vim'],
    ['ghp_\x1b[38:2::1:2:3mabc\x1b[0 qdef', 'ghp_abcdef'],
    ['\x1bP+q544e\x1b\\a\x1b_G\nm=1;AAAA\x1b\\b', 'ab'],
    ['\x1b]8;;https://fox.test/\x1b\\link\x1b]8;;\x1b\\', 'link'],
    ['\x1b[<35;1;1M\u009b31mmouse\x1b(B\x1b=', 'mouse'],
    ['cut off \x1b[38;5', 'cut off '],
    // Never closed: what follows is output, not a title.
    ['\x1b]0;no end\nnext line\x07', '0;no end\nnext line'],
    ['\x1bPall of this stays', 'all of this stays'],
  ])('%j reads %j', (output, expected) => {
    expect(plainText(output)).toBe(expected);
  });
});
