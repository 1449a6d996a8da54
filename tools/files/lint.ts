/** A syntax check after a write: only what the write broke is told. */
import type { EnvironmentForTools } from '../../environments/base.ts';
import { shellQuote } from '../shared/paths.ts';
import { extensionOf } from './text.ts';

const CHECK_TIMEOUT_MS = 5_000;
const MAX_CHECKED_CHARS = 1_000_000;
const MAX_MESSAGE_CHARS = 600;

type Check = (text: string, path: string, environment: EnvironmentForTools) => Promise<string | undefined>;

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error)).slice(0, MAX_MESSAGE_CHARS);

const checkJson: Check = (text) => {
  try {
    JSON.parse(text);
    return Promise.resolve(undefined);
  } catch (error) {
    return Promise.resolve(messageOf(error));
  }
};

const checkYaml: Check = async (text) => {
  const { parseAllDocuments } = await import('yaml');
  const [first] = parseAllDocuments(text).flatMap((document) => document.errors);
  return first === undefined ? undefined : messageOf(first);
};

const checkScript: Check = async (text, path) => {
  const { parse } = await import('@babel/parser');
  const extension = extensionOf(path);
  const typescript = /^[cm]?tsx?$/.test(extension);
  try {
    parse(text, {
      sourceType: 'unambiguous', allowReturnOutsideFunction: true, allowAwaitOutsideFunction: true,
      plugins: [...(typescript ? ['typescript' as const] : []), ...(extension === 'ts' || extension === 'mts' || extension === 'cts' ? [] : ['jsx' as const]), 'decorators'],
    });
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
};

/** Runs inside the backend, where the project's own interpreter is; none there means no check. */
const checkPython: Check = async (text, path, environment) => {
  const code = `import ast,sys\ntry:\n ast.parse(sys.stdin.read())\nexcept SyntaxError as e:\n print(f"{e.msg} (line {e.lineno})"); sys.exit(3)`;
  const result = await environment.exec({ command: `python3 -c ${shellQuote(code)}`, stdin: text, timeoutMs: CHECK_TIMEOUT_MS, maxBytes: 4_000 });
  return result.exitCode === 3 ? new TextDecoder().decode(result.output).trim() : undefined;
};

const CHECKS: ReadonlyMap<string, Check> = new Map<string, Check>([
  ['json', checkJson], ['yaml', checkYaml], ['yml', checkYaml], ['py', checkPython],
  ...['js', 'mjs', 'cjs', 'jsx', 'ts', 'mts', 'cts', 'tsx'].map((extension): [string, Check] => [extension, checkScript]),
]);

/** The syntax error that `after` has and `before` had not, in words. `before` undefined = a new file. */
export async function lintChange(
  path: string, before: string | undefined, after: string, environment: EnvironmentForTools,
): Promise<string | undefined> {
  const check = CHECKS.get(extensionOf(path));
  if (check === undefined || after.length > MAX_CHECKED_CHARS) return undefined;
  const error = await check(after, path, environment);
  if (error === undefined) return undefined;
  if (before !== undefined && await check(before, path, environment) !== undefined) return undefined;
  return `Syntax error after this edit: ${error}`;
}
