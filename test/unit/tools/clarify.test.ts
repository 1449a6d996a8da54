import { describe, expect, test } from 'vitest';
import '../../../tools/clarify.ts';
import { registry } from '../../../tools/registry.ts';
import { contextOf, parsed } from '../calls/support.ts';

function person(answers: readonly (string | undefined)[], available = true): { run: (args: Record<string, unknown>) => Promise<Record<string, unknown>>; asked: { question: string; choices: readonly string[] }[] } {
  const asked: { question: string; choices: readonly string[] }[] = [];
  const context = contextOf({ services: { questions: { available, ask: ({ question, choices }) => { asked.push({ question, choices }); return Promise.resolve(answers[asked.length - 1]); } } } });
  return { asked, run: async (args) => parsed(await registry.dispatch('clarify', args, context)) };
}

describe('clarify', () => {
  test('asks and answers in the person\'s words', async () => {
    const { run, asked } = person([' blue ']);
    expect(await run({ question: ' Which colour? ', choices: ['red', 'blue'] })).toEqual({ question: 'Which colour?', choices_offered: ['red', 'blue'], user_response: 'blue' });
    expect(asked).toEqual([{ question: 'Which colour?', choices: ['red', 'blue'] }]);
  });

  test('choices lose blanks, objects give their words, more than four are cut', async () => {
    const { run, asked } = person(['a']);
    await run({ question: 'q', choices: ['a', ' ', { label: 'b' }, { description: 'c' }, { other: 1 }, { text: 'd', title: 'no' }, { title: 'e' }, null, 5] });
    expect(asked[0]?.choices).toEqual(['a', 'b', 'c', 'd']);
  });

  test('the mark of a recommended choice is not part of the answer', async () => {
    expect((await person(['Use SQLite (Recommended)']).run({ question: 'q' }))['user_response']).toBe('Use SQLite');
    expect((await person(['(recommended)']).run({ question: 'q' }))['user_response']).toBe('(recommended)');
  });

  test('several questions are asked one after the other, at most five', async () => {
    const { run, asked } = person(['1', '2', '3', '4', '5', '6']);
    const questions = Array.from({ length: 7 }, (_, index) => (index === 1 ? 'plain text?' : { id: `q${String(index)}`, question: `Q${String(index)}`, multi_select: index === 2, choices: ['x'] }));
    const result = await run({ questions });
    expect(asked).toHaveLength(5);
    expect(asked[2]?.question).toContain('more than one');
    expect((result['responses'] as unknown[])[0]).toEqual({ id: 'q0', question: 'Q0', choices_offered: ['x'], user_response: '1' }); // cast: always a list
  });

  test('a stop in the middle keeps what was answered', async () => {
    expect(await person(['1', undefined]).run({ questions: [{ question: 'a' }, { question: 'b' }] })).toEqual({ responses: [{ id: '1', question: 'a', choices_offered: [], user_response: '1' }], timed_out: true });
    expect(await person([undefined]).run({ question: 'a' })).toMatchObject({ error: expect.stringContaining('stopped') as string, timed_out: true });
  });

  test('where nobody can be asked it says so', async () => {
    expect(await person([], false).run({ question: 'q' })).toEqual({ error: 'Clarify tool is not available in this execution context.' });
  });

  test.each([[{}], [{ question: '' }], [{ question: 7 }], [{ questions: [{}] }]])('%j names what is missing', async (args) => {
    expect((await person(['x']).run(args))['error']).toMatch(/question.* is missing/);
  });
});
