/** How a worker loads a plugin's own files: TypeScript without its types, and nothing that the person has not trusted. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { fileURLToPath } from 'node:url';

export interface ModuleRules {
  /** Folder whose files are the plugin's own: what lies outside (packages, Node) loads as usual. */
  readonly folder: string;
  /** Absolute path → sha256 of the only own files that may load; absent = all. */
  readonly trusted?: Readonly<Record<string, string>>;
}

type Strip = (source: string) => string;

function stripper(): Strip | undefined {
  const strip: unknown = Reflect.get(nodeModule, 'stripTypeScriptTypes');
  return typeof strip === 'function' ? (source) => String(Reflect.apply(strip, undefined, [source])) : undefined;
}

/** Throws within the import of a file that is not as it was trusted, and of TypeScript that holds more than plain annotations. */
export function installModuleHooks({ folder, trusted }: ModuleRules): void {
  const strip = stripper();
  const own = (path: string): boolean => path.startsWith(`${folder}/`) && !path.slice(folder.length).includes('/node_modules/');
  nodeModule.registerHooks({
    load(url, context, nextLoad) {
      if (!url.startsWith('file:')) return nextLoad(url, context);
      const path = fileURLToPath(url);
      const isTypeScript = /\.m?ts$/.test(path);
      const checked = trusted !== undefined && own(path);
      if (!checked && !isTypeScript) return nextLoad(url, context);
      const bytes = readFileSync(path);
      if (checked && trusted[path] !== createHash('sha256').update(bytes).digest('hex')) {
        throw new Error(`${path} is not among the files that were trusted, or has changed since. Trust the tool again.`);
      }
      if (!isTypeScript) return nextLoad(url, context);
      if (strip === undefined) throw new Error(`This runtime does not load TypeScript. Save ${path} as JavaScript (.js).`);
      return { format: 'module', source: strip(bytes.toString('utf8')), shortCircuit: true };
    },
  });
}
