/**
 * The thread that converts fetched pages, with everything it needs in one file: a packaged app starts threads from beside its archive, where no
 * package lies. It replaces the module of the same name that the build of the host has made.
 */
import { defineConfig } from 'vite';

const root = import.meta.dirname;

export default defineConfig({
  root,
  publicDir: false,
  logLevel: 'warn',
  ssr: { noExternal: true },
  build: {
    ssr: true,
    target: 'node24',
    outDir: 'dist',
    emptyOutDir: false,
    minify: false,
    reportCompressedSize: false,
    rolldownOptions: {
      input: { 'tools/web/page-worker': `${root}/tools/web/page-worker.ts` },
      output: { format: 'es', entryFileNames: '[name].js', codeSplitting: false },
    },
  },
});
