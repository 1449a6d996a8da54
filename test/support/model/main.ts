/**
 * The scripted model server as a program: `node test/support/model/main.ts --port 0 [--script FILE] [--flavour ollama] [--key K]`.
 * FILE is a JSON list of replies, or a `.ts` module whose default export is a script. The first stdout line is the base URL.
 */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { startModelServer, type ModelServerOptions, type Script } from './server.ts';

async function loadScript(file: string): Promise<Script> {
  if (file.endsWith('.json')) return JSON.parse(await readFile(file, 'utf8')) as Script; // a test's own file
  const module = await import(pathToFileURL(resolve(file)).href) as { default: Script }; // a test's own file
  return module.default;
}

const { values } = parseArgs({
  options: { port: { type: 'string', default: '0' }, script: { type: 'string' }, flavour: { type: 'string' }, key: { type: 'string' }, model: { type: 'string', multiple: true } },
});

const server = await startModelServer({
  port: Number(values.port),
  ...(values.script === undefined ? {} : { script: await loadScript(values.script) }),
  ...(values.flavour === undefined ? {} : { flavour: values.flavour as NonNullable<ModelServerOptions['flavour']> }), // an unknown flavour only answers /v1
  ...(values.key === undefined ? {} : { key: values.key }),
  ...(values.model === undefined ? {} : { models: values.model }),
});
process.stdout.write(`${server.baseUrl}\n`);
const stop = (): void => void server.close().then(() => process.exit(0));
process.once('SIGTERM', stop);
process.once('SIGINT', stop);
