/**
 * Syntax colours by shiki with its JavaScript engine: no WebAssembly and no eval, so it runs under a strict content policy.
 * Grammars are separate chunks, fetched when a language is first met. Each token carries a colour for both themes.
 */
import type { GrammarState, HighlighterCore, LanguageRegistration } from 'shiki/core';

export interface CodeToken {
  readonly text: string;
  readonly light: string | undefined;
  readonly dark: string | undefined;
}

type Grammar = () => Promise<{ default: LanguageRegistration[] }>;

const GRAMMARS = new Map<string, Grammar>([
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

const ALIASES = new Map([
  ['sh', 'bash'], ['shell', 'bash'], ['zsh', 'bash'], ['console', 'bash'], ['shellscript', 'bash'], ['js', 'javascript'], ['mjs', 'javascript'],
  ['cjs', 'javascript'], ['ts', 'typescript'], ['mts', 'typescript'], ['py', 'python'], ['rb', 'ruby'], ['rs', 'rust'], ['golang', 'go'],
  ['yml', 'yaml'], ['dockerfile', 'docker'], ['makefile', 'make'], ['md', 'markdown'], ['c++', 'cpp'], ['cs', 'csharp'], ['kt', 'kotlin'],
  ['patch', 'diff'], ['jsonc', 'json'], ['json5', 'json'], ['svg', 'xml'], ['conf', 'ini'], ['properties', 'ini'],
]);

/** Above this many characters colours are left out: the JavaScript engine colours about 1 MB a second. */
const MAX_CHARS = 30_000;
/** Lines are coloured for this long at a time: the first block of a language costs 50 ms and more, for its rules are compiled when they are met. */
const SLICE_MS = 8;
const THEMES = { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' };

let highlighter: Promise<HighlighterCore> | undefined;
const loaded = new Map<string, Promise<void>>();

/** The name of the grammar for a fence's word, or undefined when there is none. */
export function grammarOf(language: string): string | undefined {
  const name = language.trim().toLowerCase();
  const resolved = ALIASES.get(name) ?? name;
  return GRAMMARS.has(resolved) ? resolved : undefined;
}

/** Coloured lines of `code`, or undefined when the language is unknown or the text too long. Rejects when a chunk cannot be loaded. */
export async function highlightCode(code: string, language: string): Promise<readonly (readonly CodeToken[])[] | undefined> {
  const name = grammarOf(language);
  if (name === undefined || code.length > MAX_CHARS) return undefined;
  const shiki = await ready(name);
  const coloured: (readonly CodeToken[])[] = [];
  let grammarState: GrammarState | undefined;
  let began = performance.now();
  for (const line of code.split(/\r?\n/)) {
    if (performance.now() - began > SLICE_MS) {
      await new Promise((resolve) => { setTimeout(resolve); });
      began = performance.now();
    }
    const tokens = shiki.codeToTokensWithThemes(line, { lang: name, themes: THEMES, ...(grammarState === undefined ? {} : { grammarState }) });
    grammarState = shiki.getLastGrammarState(tokens);
    coloured.push((tokens[0] ?? []).map((token) => ({ text: token.content, light: token.variants['light']?.color, dark: token.variants['dark']?.color })));
  }
  return coloured;
}

async function ready(name: string): Promise<HighlighterCore> {
  highlighter ??= create();
  const shiki = await highlighter;
  const grammar = GRAMMARS.get(name);
  if (grammar === undefined) return shiki;
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
