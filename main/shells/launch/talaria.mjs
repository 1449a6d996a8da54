#!/usr/bin/env node
/** The `talaria` command: runs the built command line under the project's own Node. It builds nothing. */
import { existsSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { become, checkNode, fail, isRightNode, root, runtimeNode } from './project.mjs';

/** Time for the loop to run empty by itself, in ms. */
const END_MS = 1_000;

checkNode();
const node = runtimeNode();
const program = join(root, 'dist', 'main', 'shells', 'cli', 'main.js');
if (!node || !existsSync(program)) fail('it is not built yet.', 'Run `npm start` or `npm run build` first.');

if (isRightNode()) {
  module.enableCompileCache(join(root, 'node_modules', '.cache', 'talaria'));
  const built = (file) => import(pathToFileURL(join(root, 'dist', file)).href);
  const { runCli } = await built('main/shells/cli/main.js');
  process.exitCode = await runCli(process.argv.slice(2), { serve: async (choices, context) => (await built('main/shells/browser/main.js')).serve(choices, context) });
  endWhenWritten();
} else {
  process.exitCode = await become(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)]);
}

/** The command is done and the host closed: what a library still holds open keeps nobody waiting. What was printed is written out first. */
function endWhenWritten() {
  const timer = setTimeout(() => {
    if (process.stdout.writableLength === 0 && process.stderr.writableLength === 0) process.exit();
    endWhenWritten();
  }, END_MS);
  timer.unref();
}
