/**
 * The scripts that put `window.talaria` on the page, each a single file: `electron.cjs` for the sandboxed Electron preload (which can load
 * nothing), `browser.js` for the page of the browser shell. `TALARIA_PRELOAD` names the one to build.
 */
import { defineConfig } from 'vite';

const root = import.meta.dirname;
const which = process.env['TALARIA_PRELOAD'] === 'browser' ? 'browser' : 'electron';

export default defineConfig({
  root,
  publicDir: false,
  logLevel: 'warn',
  build: {
    outDir: 'dist/preload',
    emptyOutDir: false,
    target: 'chrome140',
    minify: false,
    reportCompressedSize: false,
    lib: {
      entry: `${root}/preload/${which}.ts`,
      formats: [which === 'electron' ? 'cjs' : 'es'],
      fileName: () => (which === 'electron' ? 'electron.cjs' : 'browser.js'),
    },
    rolldownOptions: {
      external: ['electron'],
      output: { codeSplitting: false },
    },
  },
});
