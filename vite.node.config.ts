/** Everything that runs in Node: one output module per source module, so that discovery scans `dist/tools/*.js` as it scans `tools/*.ts`. */
import { globSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { defineConfig } from 'vite';

const root = import.meta.dirname;
/** Tools, backends and workers are loaded by name at run time, so every module is an entry of its own. */
const entries = globSync(['tools/**/*.ts', 'environments/**/*.ts', 'main/**/*.ts', 'preload/contract/**/*.ts'], { cwd: root })
  .filter((file) => !file.endsWith('.d.ts'))
  .sort();

export default defineConfig({
  root,
  publicDir: false,
  logLevel: 'warn',
  build: {
    ssr: true,
    target: 'node24',
    outDir: 'dist',
    /** The other two builds write into the same folder; `build.mjs` empties what is stale. */
    emptyOutDir: false,
    minify: false,
    reportCompressedSize: false,
    rolldownOptions: {
      input: Object.fromEntries(entries.map((file) => [file.replace(/\.ts$/, ''), `${root}/${file}`])),
      external: (id) => !id.startsWith('.') && !isAbsolute(id),
      output: {
        format: 'es',
        preserveModules: true,
        preserveModulesRoot: root,
        entryFileNames: '[name].js',
      },
    },
  },
});
