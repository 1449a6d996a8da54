/**
 * The screens on a scene instead of a host, for looking at while drawing them: `vite --config test/support/renderer/vite.config.ts`,
 * then http://127.0.0.1:5199/?scene=all|long|empty|no-model&theme=light|dark.
 */
import { defineConfig, mergeConfig, type Plugin } from 'vite';
import base from '../../../vite.config.ts';

const scene: Plugin = {
  name: 'scene',
  transformIndexHtml: {
    order: 'pre',
    handler: (html) => html.replace('<script', `<script type="module" src="/@fs${import.meta.dirname}/scene.ts"></script><script`),
  },
};

export default mergeConfig(base, defineConfig({
  base: '/', plugins: [scene], server: { host: '127.0.0.1', port: 5199, strictPort: true, fs: { allow: [`${import.meta.dirname}/../../..`] } },
}));
