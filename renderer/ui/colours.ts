/**
 * Syntax colours by shiki with its JavaScript engine: no WebAssembly and no eval, so it runs under a strict content policy.
 * Grammars are separate chunks, fetched when a language is first met. Each token carries a colour for both themes.
 */
import type { HighlighterCore, LanguageRegistration } from 'shiki/core';
import type { CodeToken } from './highlight.ts';

type Grammar = () => Promise<{ default: LanguageRegistration[] }>;

export const GRAMMARS = new Map<string, Grammar>([
  ['bash', () => import('shiki/langs/bash.mjs')],
  ['c', () => import('shiki/langs/c.mjs')],
  ['cpp', () => import('shiki/langs/cpp.mjs')],
  ['csharp', () => import('shiki/langs/csharp.mjs')],
  ['css', () => import('shiki/langs/css.mjs')],
  ['diff', () => import('shiki/langs/diff.mjs')],
  ['docker', () => import('shiki/langs/docker.mjs')],
  ['go', () => import('shiki/langs/go.mjs')],
  ['html', () => import('shiki/langs/html.mjs')],
  ['ini', () => import('shiki/langs/ini.mjs')],
  ['java', () => import('shiki/langs/java.mjs')],
  ['javascript', () => import('shiki/langs/javascript.mjs')],
  ['json', () => import('shiki/langs/json.mjs')],
  ['jsx', () => import('shiki/langs/jsx.mjs')],
  ['kotlin', () => import('shiki/langs/kotlin.mjs')],
  ['lua', () => import('shiki/langs/lua.mjs')],
  ['make', () => import('shiki/langs/make.mjs')],
  ['markdown', () => import('shiki/langs/markdown.mjs')],
  ['php', () => import('shiki/langs/php.mjs')],
  ['python', () => import('shiki/langs/python.mjs')],
  ['ruby', () => import('shiki/langs/ruby.mjs')],
  ['rust', () => import('shiki/langs/rust.mjs')],
  ['sql', () => import('shiki/langs/sql.mjs')],
  ['swift', () => import('shiki/langs/swift.mjs')],
  ['toml', () => import('shiki/langs/toml.mjs')],
  ['tsx', () => import('shiki/langs/tsx.mjs')],
  ['typescript', () => import('shiki/langs/typescript.mjs')],
  ['xml', () => import('shiki/langs/xml.mjs')],
  ['yaml', () => import('shiki/langs/yaml.mjs')],
]);

let highlighter: Promise<HighlighterCore> | undefined;
const loaded = new Map<string, Promise<void>>();

/** Coloured lines of `code`. Rejects for an unknown language, and when a chunk cannot be loaded. */
export async function colourCode(code: string, name: string): Promise<readonly (readonly CodeToken[])[]> {
  const shiki = await ready(name);
  const lines = shiki.codeToTokensWithThemes(code, { lang: name, themes: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' } });
  return lines.map((line) => line.map((token) => ({ text: token.content, light: token.variants['light']?.color, dark: token.variants['dark']?.color })));
}

async function ready(name: string): Promise<HighlighterCore> {
  highlighter ??= create();
  const shiki = await highlighter;
  const grammar = GRAMMARS.get(name);
  if (grammar === undefined) throw new Error(`there is no grammar ${name}`);
  let loading = loaded.get(name);
  if (loading === undefined) {
    loading = grammar().then((module) => shiki.loadLanguage(module.default));
    loaded.set(name, loading);
  }
  await loading;
  return shiki;
}

async function create(): Promise<HighlighterCore> {
  const [{ createHighlighterCore }, { createJavaScriptRegexEngine }, light, dark] = await Promise.all([
    import('shiki/core'), import('shiki/engine/javascript'),
    import('shiki/themes/github-light-high-contrast.mjs'), import('shiki/themes/github-dark-high-contrast.mjs'),
  ]);
  return createHighlighterCore({ themes: [light.default, dark.default], langs: [], engine: createJavaScriptRegexEngine({ forgiving: true }) });
}
