import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { commandSegments, listedParts } from '../../../../renderer/ui/command-segments.ts';

const part = (text: string, command: string, verdict: 'allow' | 'ask' | 'block', depth = 0) => ({
  text, argv: text.split(' '), start: command.indexOf(text), end: command.indexOf(text) + text.length, depth, verdict,
});
const finding = (text: string, command: string, tier: 'danger' | 'unknown' | 'floor' = 'danger') => ({
  key: 'k', description: 'd', class: 'delete' as const, effect: 'e', start: command.indexOf(text), end: command.indexOf(text) + text.length, tier,
});

describe('the list of parts', () => {
  test('never leaves out what stopped the command, however many harmless parts stand before it', () => {
    const harmless = Array.from({ length: 60 }, (_, index) => part(`echo ${index}`, '', 'allow'));
    const stopped = part('rm -rf x', '', 'ask');
    const listed = listedParts([...harmless, stopped]);
    expect([listed.length, listed.at(-1), listed[0]]).toEqual([40, stopped, harmless[0]]);
    expect(listedParts([stopped, ...harmless.slice(0, 3)])).toEqual([stopped, ...harmless.slice(0, 3)]);
  });
});

describe('command segments', () => {
  test('each part has its own tone and the culprit alone is underlined', () => {
    const command = 'cd /tmp && rm -rf build; frob';
    const segments = commandSegments(command, {
      verdict: 'ask', findings: [finding('rm -rf build', command)],
      parts: [part('cd /tmp', command, 'allow'), part('rm -rf build', command, 'ask'), part('frob', command, 'ask')],
    });
    expect(segments.map(({ text, tone, culprit }) => ({ text, tone, culprit }))).toEqual([
      { text: 'cd /tmp', tone: 'allowed', culprit: false },
      { text: ' && ', tone: undefined, culprit: false },
      { text: 'rm -rf build', tone: 'danger', culprit: true },
      { text: '; ', tone: undefined, culprit: false },
      { text: 'frob', tone: 'unknown', culprit: false },
    ]);
  });

  test('an inner command shows through its wrapper, except where the wrapper is blocked', () => {
    const command = 'sudo sh -c "ls; rm x"';
    const review = (verdict: 'ask' | 'block') => ({ verdict, findings: [], parts: [part(command, command, verdict), part('ls', command, 'allow' as const, 1)] });
    expect(commandSegments(command, review('ask')).find((segment) => segment.text === 'ls')?.tone).toBe('allowed');
    expect(commandSegments(command, review('block')).find((segment) => segment.text === 'ls')?.tone).toBe('blocked');
  });

  test('the segments joined are the command, whatever spans a detector reports', () => {
    const spans = fc.array(fc.record({ start: fc.nat(60), end: fc.nat(60), depth: fc.nat(3) }), { maxLength: 12 });
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 40 }), spans, spans, (command, parts, findings) => {
      const segments = commandSegments(command, {
        verdict: 'ask',
        parts: parts.map((span) => ({ ...span, text: '', argv: [], verdict: 'ask' as const })),
        findings: findings.map((span) => ({ ...span, key: 'k', description: 'd', class: 'delete' as const, effect: 'e', tier: 'danger' as const })),
      });
      expect(segments.map((segment) => segment.text).join('')).toBe(command);
    }));
  });

  test('thousands of parts become one plain stretch instead of thousands of elements', () => {
    const command = ': ;'.repeat(5_000);
    const parts = Array.from({ length: 5_000 }, (_, index) => ({ text: ':', argv: [':'], start: index * 3, end: index * 3 + 1, depth: 0, verdict: 'allow' as const }));
    expect(commandSegments(command, { verdict: 'ask', findings: [], parts })).toHaveLength(1);
  });
});
