import { describe, expect, test } from 'vitest';
import { plainText } from '../../../main/terminals/plain.ts';
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
  ])('%j reads %j', (output, expected) => {
    expect(plainText(output)).toBe(expected);
  });
});
