/** The renderer bundle, the same for Electron and browser. No inline script, nothing fetched from elsewhere: the content policy forbids both. */
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const root = import.meta.dirname;

export default defineConfig({
  root: `${root}/renderer`,
  /** Relative addresses work under `app://` and under any loopback port. */
  base: './',
  publicDir: false,
  logLevel: 'warn',
  plugins: [react(), tailwindcss()],
  /** The worker for colours loads its grammars one by one, as the page would. */
  worker: { format: 'es' },
  build: {
    outDir: `${root}/dist/renderer`,
    emptyOutDir: true,
    target: 'chrome140',
    /** Fonts and images stay files: `data:` fonts are not in the content policy. */
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 4_000,
  },
});
