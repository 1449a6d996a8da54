import { createHighlighterCore } from 'shiki/core';
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript';
import { expect, test } from 'vitest';
import { highlightCode } from '../../../../renderer/ui/highlight.ts';

const CODE = [
  '/* a comment', '   of several lines */', 'const text = `a template', '  with $'.concat('{value + 1} and'), '  an end`; // done', '', 'export function added<T extends number>(left: T, right: T): number {', '  return left + right;', '}', '',
].join('\n');

test('code coloured line by line has the colours of code coloured at once, also over lines', async () => {
  const [light, dark, grammar] = await Promise.all([
    import('shiki/themes/github-light-high-contrast.mjs'), import('shiki/themes/github-dark-high-contrast.mjs'), import('shiki/langs/typescript.mjs'),
  ]);
  const shiki = await createHighlighterCore({ themes: [light.default, dark.default], langs: [grammar.default], engine: createJavaScriptRegexEngine({ forgiving: true }) });
  const atOnce = shiki.codeToTokensWithThemes(CODE, { lang: 'typescript', themes: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' } });
  expect(await highlightCode(CODE, 'ts')).toEqual(atOnce.map((line) => line.map((token) => ({ text: token.content, light: token.variants['light']?.color, dark: token.variants['dark']?.color }))));
});

test('a long block leaves time for others while it is coloured', async () => {
  let turns = 0;
  let timer: ReturnType<typeof setTimeout>;
  const turn = (): void => { turns += 1; timer = setTimeout(turn); };
  timer = setTimeout(turn);
  const lines = await highlightCode(CODE.repeat(100), 'python');
  clearTimeout(timer);
  expect(lines?.map((line) => line.map(({ text }) => text).join('')).join('\n')).toBe(CODE.repeat(100));
  expect(turns).toBeGreaterThan(1);
});
