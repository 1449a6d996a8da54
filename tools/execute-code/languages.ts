/** What a script is made of in each language: the module with the tools, and how it is started. */
import type { JsonObject } from '../context.ts';
/** The part of a tool's schema that a function is made from. */
export interface ScriptSchema { readonly description: string; readonly parameters?: JsonObject }
import { javascriptModule } from './javascript-module.ts';
import { pythonModule } from './python-module.ts';

/** The tools scripts may call (hermes-runtime 7.2). */
export const SANDBOX_TOOLS = ['web_search', 'web_extract', 'read_file', 'write_file', 'search_files', 'patch', 'terminal'] as const;
export type ScriptTool = (typeof SANDBOX_TOOLS)[number];

/** One tool as a function of a script: required parameters first. */
export interface ScriptFunction { readonly name: ScriptTool; readonly description: string; readonly required: readonly string[]; readonly optional: readonly string[] }

export interface Connection {
  /** Folder of the script inside the backend. */
  readonly folder: string;
  /** Unix socket, where script and runtime share a machine; else requests are files in the folder. */
  readonly socket: string | undefined;
  readonly token: string;
}

export interface Language {
  readonly scriptName: string;
  /** Files beside the script, by path below the folder. */
  files(functions: readonly ScriptFunction[], connection: Connection): Readonly<Record<string, string>>;
  /** Shell lines that set `program` to an interpreter, or leave it empty. `project`: the project's own wins. */
  find(project: boolean): string;
  /** Shell words that start the script; `$program` and `$folder` are set. Without `project` nothing of the place's own is imported. */
  start(project: boolean): string;
  readonly missing: string;
}

export const LANGUAGES: Readonly<Record<'python' | 'javascript', Language>> = {
  python: {
    scriptName: 'script.py',
    files: (functions, connection) => ({ 'hermes_tools.py': pythonModule(functions, connection) }),
    find: (project) => [
      'program=',
      ...(project ? ['for candidate in ./.venv ./venv "$VIRTUAL_ENV"; do [ -n "$candidate" ] && [ -x "$candidate/bin/python" ] && program=$candidate/bin/python; done'] : []),
      '[ -n "$program" ] || program=$(command -v python3 || command -v python || true)',
    ].join('\n'),
    start: (project) => `PYTHONPATH="$folder${project ? ':$PWD:$PYTHONPATH' : ''}" PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 PYTHONIOENCODING=utf-8 "$program" "$folder/script.py"`,
    missing: 'python3 is not installed where this chat works. Install it, or use the terminal tool instead.',
  },
  javascript: {
    scriptName: 'script.mjs',
    files: (functions, connection) => ({
      'node_modules/hermes_tools/package.json': '{"name":"hermes_tools","version":"1.0.0","type":"module","exports":"./index.js"}\n',
      'node_modules/hermes_tools/index.js': javascriptModule(functions, connection),
    }),
    find: () => 'program=$(command -v node || true)',
    start: () => '"$program" "$folder/script.mjs"',
    missing: 'node is not installed where this chat works. Install it, or write the script in Python.',
  },
};

/** Functions for those of `names` that have a schema, in the order of `SANDBOX_TOOLS`. */
export function scriptFunctions(names: readonly ScriptTool[], schemaOf: (name: string) => ScriptSchema | undefined): ScriptFunction[] {
  return names.flatMap((name) => {
    const schema = schemaOf(name);
    if (schema === undefined) return [];
    const properties = Object.keys((schema.parameters?.['properties'] ?? {}) as JsonObject); // cast: the registry checked that it is an object
    const needed = schema.parameters?.['required'];
    const listed: readonly unknown[] = Array.isArray(needed) ? needed : [];
    const required = properties.filter((property) => listed.includes(property));
    return [{ name, description: schema.description, required, optional: properties.filter((property) => !required.includes(property)) }];
  });
}
