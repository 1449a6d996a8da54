import { expect, test } from 'vitest';
import { colourCode, GRAMMARS } from '../../../../renderer/ui/colours.ts';
import { grammarOf, highlightCode } from '../../../../renderer/ui/highlight.ts';
import type { Coloured, ColourJob } from '../../../../renderer/ui/highlight.ts';

/** A worker in this thread, that answers when the test lets it. */
function worker() {
  const jobs: ColourJob[] = [];
  const made = {
    onmessage: null as Worker['onmessage'], onerror: null as Worker['onerror'], ended: false,
    postMessage: (job: ColourJob) => { jobs.push(job); },
    terminate: () => { made.ended = true; },
    answer: (data: Coloured) => made.onmessage?.call(made as never, { data } as MessageEvent),
    fail: (message: string) => made.onerror?.call(made as never, { message } as ErrorEvent),
  };
  return { made, jobs };
}

test('code gets its colours for both themes, and keeps its text', async () => {
  const code = '/* of\n several lines */\nconst text = `a\n b`;\n';
  const lines = await colourCode(code, 'typescript');
  expect(lines.map((line) => line.map(({ text }) => text).join('')).join('\n')).toBe(code);
  expect(new Set(lines.flat().map(({ light }) => light)).size).toBeGreaterThan(1);
  expect(lines.flat().every(({ light, dark }) => light !== undefined && dark !== undefined)).toBe(true);
});

test('a fence may name every grammar that there is, and those only', () => {
  expect([...GRAMMARS.keys()].map(grammarOf)).toEqual([...GRAMMARS.keys()]);
  expect(['TS', ' sh ', 'c++', 'klingon'].map(grammarOf)).toEqual(['typescript', 'bash', 'cpp', undefined]);
});

test('each block gets its own answer, in any order; one that fails, or a worker that breaks, fails nothing else for good', async () => {
  const { made, jobs } = worker();
  const first = highlightCode('one', 'ts', () => made);
  const second = highlightCode('two', 'python', () => made);
  const third = highlightCode('three', 'go', () => made);
  expect(await highlightCode('x', 'klingon', () => made)).toBeUndefined();
  expect(await highlightCode('x'.repeat(40_000), 'ts', () => made)).toBeUndefined();
  expect(jobs.map(({ code, name }) => [code, name])).toEqual([['one', 'typescript'], ['two', 'python'], ['three', 'go']]);
  const lines = [[{ text: 'two', light: '#000', dark: '#fff' }]];
  made.answer({ id: jobs[1]?.id ?? 0, lines });
  made.answer({ id: jobs[0]?.id ?? 0, error: 'no chunk' });
  expect(await second).toBe(lines);
  await expect(first).rejects.toThrow('no chunk');
  made.fail('out of memory');
  await expect(third).rejects.toThrow('out of memory');
  expect(made.ended).toBe(true);
  const next = worker();
  const again = highlightCode('four', 'ts', () => next.made);
  next.made.answer({ id: next.jobs[0]?.id ?? 0, lines });
  expect(await again).toBe(lines);
});
