/** Colours of code, made in a worker: the first block of a language takes 50 ms and more, for its rules are compiled when they are met. */

export interface CodeToken {
  readonly text: string;
  readonly light: string | undefined;
  readonly dark: string | undefined;
}

export interface ColourJob { readonly id: number; readonly code: string; readonly name: string }
export type Coloured = { readonly id: number; readonly lines: readonly (readonly CodeToken[])[] } | { readonly id: number; readonly error: string };

/** Of `colours.ts`. */
const GRAMMARS: ReadonlySet<string> = new Set([
  'bash', 'c', 'cpp', 'csharp', 'css', 'diff', 'docker', 'go', 'html', 'ini', 'java', 'javascript', 'json', 'jsx', 'kotlin', 'lua', 'make',
  'markdown', 'php', 'python', 'ruby', 'rust', 'sql', 'swift', 'toml', 'tsx', 'typescript', 'xml', 'yaml',
]);

const ALIASES = new Map([
  ['sh', 'bash'], ['shell', 'bash'], ['zsh', 'bash'], ['console', 'bash'], ['shellscript', 'bash'], ['js', 'javascript'], ['mjs', 'javascript'],
  ['cjs', 'javascript'], ['ts', 'typescript'], ['mts', 'typescript'], ['py', 'python'], ['rb', 'ruby'], ['rs', 'rust'], ['golang', 'go'],
  ['yml', 'yaml'], ['dockerfile', 'docker'], ['makefile', 'make'], ['md', 'markdown'], ['c++', 'cpp'], ['cs', 'csharp'], ['kt', 'kotlin'],
  ['patch', 'diff'], ['jsonc', 'json'], ['json5', 'json'], ['svg', 'xml'], ['conf', 'ini'], ['properties', 'ini'],
]);

/** Above this many characters colours are left out: they would be more elements than a page draws with ease. */
const MAX_CHARS = 30_000;

type Worked = Pick<Worker, 'postMessage' | 'terminate' | 'onmessage' | 'onerror'>;
interface Waiting { readonly resolve: (lines: readonly (readonly CodeToken[])[]) => void; readonly reject: (error: Error) => void }

const waiting = new Map<number, Waiting>();
let worker: Worked | undefined;
let lastId = 0;

/** The name of the grammar for a fence's word, or undefined when there is none. */
export function grammarOf(language: string): string | undefined {
  const name = language.trim().toLowerCase();
  const resolved = ALIASES.get(name) ?? name;
  return GRAMMARS.has(resolved) ? resolved : undefined;
}

/** Coloured lines of `code`, or undefined when the language is unknown or the text too long. Rejects when the colours cannot be made. */
export async function highlightCode(code: string, language: string, make: () => Worked = makeWorker): Promise<readonly (readonly CodeToken[])[] | undefined> {
  const name = grammarOf(language);
  if (name === undefined || code.length > MAX_CHARS) return undefined;
  const working = worker ?? start(make);
  lastId += 1;
  const id = lastId;
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject });
    working.postMessage({ id, code, name } satisfies ColourJob);
  });
}

function makeWorker(): Worker {
  return new Worker(new URL('./highlight-worker.ts', import.meta.url), { type: 'module' });
}

function start(make: () => Worked): Worked {
  const made = make();
  worker = made;
  made.onmessage = ({ data }: MessageEvent<Coloured>) => {
    const job = waiting.get(data.id);
    waiting.delete(data.id);
    if ('lines' in data) job?.resolve(data.lines);
    else job?.reject(new Error(data.error));
  };
  /** It could not be loaded, or broke: who waits is told, and the next block tries anew. */
  made.onerror = ({ message }) => {
    made.terminate();
    worker = undefined;
    const jobs = [...waiting.values()];
    waiting.clear();
    for (const { reject } of jobs) reject(new Error(`the worker for colours ended: ${message}`));
  };
  return made;
}
