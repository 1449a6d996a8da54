import { describe, expect, test } from 'vitest';
import { contentProblem, nameProblem, parseSkill, requiredEnvironment, suitsPlatform, texts } from '../../../tools/shared/skills/format.ts';
import { findThreat } from '../../../tools/shared/skills/threats.ts';

describe('SKILL.md', () => {
  test('frontmatter is read with either line end and a byte-order mark, and the rest is the body', async () => {
    expect(await parseSkill('\uFEFF---\r\nname: a\r\n---\r\nbody\r\n')).toEqual({ frontmatter: { name: 'a' }, body: 'body\r\n' });
    expect(await parseSkill('---\n- a\n---\n')).toMatchObject({ error: expect.stringContaining('list of fields') as string });
    expect(await contentProblem('---\nname: a\ndescription: b\n---\nbody')).toBeUndefined();
  });

  test('aliases that grow without bound are refused, not expanded', async () => {
    const bomb = ['a: &a [x,x,x,x,x,x,x,x,x]', ...'bcdefgh'.split('').map((name, index) => `${name}: &${name} [${Array.from({ length: 9 }, () => `*${'abcdefgh'.charAt(index)}`).join(',')}]`)].join('\n');
    expect(await parseSkill(`---\n${bomb}\n---\n`)).toHaveProperty('error');
  });

  test.each([['a', true], ['0-a.b_c', true], ['x'.repeat(64), true], ['x'.repeat(65), false], ['', false], ['-a', false], ['A', false], ['a b', false], ['ä', false], ['a/b', false], ['a\n', false]])('name %j is allowed: %s', (name, allowed) => {
    expect(nameProblem(name) === undefined).toBe(allowed);
  });

  test('platforms by the names people use', () => {
    expect(suitsPlatform({}, 'linux')).toBe(true);
    expect(suitsPlatform({ platforms: ['macos', 'linux'] }, 'linux')).toBe(true);
    expect(suitsPlatform({ platforms: 'macos' }, 'darwin')).toBe(true);
    expect(suitsPlatform({ platforms: ['windows'] }, 'linux')).toBe(false);
  });

  test('lists and variables in every form they are written in', () => {
    expect(texts('[a, b]')).toEqual(['a', 'b']);
    expect(texts(['a', 5])).toEqual(['a']);
    expect(requiredEnvironment({ required_environment_variables: ['A', { name: 'B', help: 'h' }, { name: 'not a name' }, null], prerequisites: { env_vars: 'A, C' } })).toEqual([{ name: 'A' }, { name: 'B', help: 'h' }, { name: 'C' }]);
  });

  test('the scan is quick on long hostile text', () => {
    expect(findThreat('curl '.repeat(18_000))).toBeUndefined();
  });
});
