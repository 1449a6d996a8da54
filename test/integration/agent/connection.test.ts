import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { systemClock } from '../../../main/clock.ts';
import { openConfig } from '../../../main/config/config.ts';
import { homePaths } from '../../../main/config/paths.ts';
import { secretsFile } from '../../../main/config/secrets-file.ts';
import { silentLog } from '../../../main/log.ts';
import { createConnections, type ConnectionOverrides, type Connections } from '../../../main/models/connection.ts';
import type { FoundServer } from '../../../preload/contract/settings.ts';
import { startModelServer } from '../../support/model/server.ts';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => { for (const cleanup of cleanups.splice(0).toReversed()) await cleanup(); });

interface Setting { readonly yaml?: string; readonly dotEnv?: string; readonly env?: Record<string, string>; readonly found?: FoundServer[]; readonly overrides?: ConnectionOverrides }

async function open(setting: Setting): Promise<{ connections: Connections; home: string; read(): Promise<string> }> {
  const home = await mkdtemp(join(tmpdir(), 'talaria-connection-'));
  if (setting.yaml !== undefined) await writeFile(join(home, 'config.yaml'), setting.yaml);
  if (setting.dotEnv !== undefined) await writeFile(join(home, '.env'), setting.dotEnv);
  const environment = { ...setting.env, HERMES_HOME: home };
  const paths = homePaths(environment);
  const config = openConfig({ paths, clock: systemClock, log: silentLog, environment });
  cleanups.push(() => { config.close(); return rm(home, { recursive: true, force: true }); });
  const connections = createConnections({
    config, secrets: secretsFile(paths.secrets), discover: () => Promise.resolve(setting.found ?? []), ...(setting.overrides === undefined ? {} : { overrides: setting.overrides }),
  });
  return { connections, home, read: () => readFile(join(home, 'config.yaml'), 'utf8') };
}

const known = async (setting: Setting): Promise<unknown> => {
  const { endpoint, source } = await (await open(setting)).connections.resolve();
  return { baseUrl: endpoint.baseUrl, model: endpoint.model, key: endpoint.key, source };
};

test.each<[string, Setting, unknown]>([
  ['the environment', { env: { OPENAI_BASE_URL: 'http://127.0.0.1:9/v1/', OPENAI_API_KEY: 'k', HERMES_MODEL: 'm' } }, { baseUrl: 'http://127.0.0.1:9/v1', model: 'm', key: 'k', source: 'OPENAI_BASE_URL' }],
  ['the home\'s .env', { dotEnv: 'OPENROUTER_API_KEY=or\nHERMES_MODEL=a/b\n' }, { baseUrl: 'https://openrouter.ai/api/v1', model: 'a/b', key: 'or', source: 'OPENROUTER_API_KEY' }],
  ['an OpenAI key alone', { env: { OPENAI_API_KEY: 'k', HERMES_MODEL: 'm' } }, { baseUrl: 'https://api.openai.com/v1', model: 'm', key: 'k', source: 'OPENAI_API_KEY' }],
  ['config.yaml, before the environment', { yaml: 'model:\n  default: local\n  base_url: http://lab:1/v1\n  api_key: own\n', env: { OPENAI_BASE_URL: 'http://127.0.0.1:9/v1', OPENAI_API_KEY: 'k', HERMES_MODEL: 'm' } }, { baseUrl: 'http://lab:1/v1', model: 'local', key: 'own', source: 'config.yaml' }],
  ['a model in config.yaml with the address of the environment', { yaml: 'model: mine\n', env: { OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' } }, { baseUrl: 'http://127.0.0.1:9/v1', model: 'mine', key: undefined, source: 'OPENAI_BASE_URL' }],
  ['the command line, before everything', { yaml: 'model:\n  default: local\n  base_url: http://lab:1/v1\n', overrides: { baseUrl: 'http://127.0.0.1:7/v1', model: 'cli' }, env: { OPENAI_API_KEY: 'k' } }, { baseUrl: 'http://127.0.0.1:7/v1', model: 'cli', key: 'k', source: 'command line' }],
  ['a server found on loopback, when nothing is said', { found: [{ name: 'Ollama', baseUrl: 'http://127.0.0.1:11434/v1', models: ['qwen3'] }] }, { baseUrl: 'http://127.0.0.1:11434/v1', model: 'qwen3', key: undefined, source: 'found on loopback' }],
])('%s chooses the model', async (_who, setting, expected) => {
  expect(await known(setting)).toEqual(expected);
});

test('the key of one address is never sent to another', async () => {
  expect(await known({ yaml: 'model:\n  default: m\n  base_url: http://elsewhere:1/v1\n', env: { OPENAI_API_KEY: 'openai-key', OPENROUTER_API_KEY: 'or' } })).toMatchObject({ key: undefined });
  expect(await known({ yaml: 'model:\n  default: m\n  base_url: https://openrouter.ai/api/v1\n', env: { OPENAI_API_KEY: 'openai-key', OPENROUTER_API_KEY: 'or' } })).toMatchObject({ key: 'or' });
});

test('an address alone takes the model that the server there lists', async () => {
  const server = await startModelServer({ models: ['only-one'] });
  cleanups.push(() => server.close());
  expect(await known({ overrides: { baseUrl: server.baseUrl } })).toMatchObject({ model: 'only-one' });
});

test('with nothing said and nothing found there is no model, and the reason has a next step', async () => {
  const { connections } = await open({});
  await expect(connections.resolve()).rejects.toMatchObject({ code: 'model/none', hint: expect.stringContaining('Ollama') as string });
  expect(await connections.current()).toBeUndefined();
});

test('a provider without a known address is named', async () => {
  const { connections } = await open({ yaml: 'model:\n  default: m\n  provider: nowhere\n' });
  await expect(connections.resolve()).rejects.toMatchObject({ code: 'model/none', message: expect.stringContaining('nowhere') as string });
});

test('saving writes config.yaml with everything else in it kept, and the key beside it, never in it', async () => {
  const { connections, home, read } = await open({ yaml: '# mine\nmodel:\n  default: old # was good\n  base_url: http://old:1/v1\n  api_key: old-key\n  temperature: 0.2\nother: 1\n' });
  const saved = await connections.save({ baseUrl: 'http://127.0.0.1:9/v1/', model: 'new', key: 'sk-new-secret' });
  expect(saved).toEqual({ name: 'default', baseUrl: 'http://127.0.0.1:9/v1', model: 'new', hasKey: true, source: 'config.yaml', contextTokens: 128_000 });
  const yaml = await read();
  expect(yaml).toContain('# mine');
  expect(yaml).toContain('temperature: 0.2');
  expect(yaml).toContain('other: 1');
  expect(yaml).not.toMatch(/old-key|sk-new-secret/);
  expect(await connections.keyFor('http://127.0.0.1:9/v1')).toBe('sk-new-secret');
  expect(await readFile(join(home, 'desktop', 'secrets.json'), 'utf8')).toContain('sk-new-secret');
});

test('saving without a key keeps the stored one, an empty key removes it', async () => {
  const { connections } = await open({});
  await connections.save({ baseUrl: 'http://127.0.0.1:9/v1', model: 'a', key: 'k' });
  expect((await connections.save({ baseUrl: 'http://127.0.0.1:9/v1', model: 'b' })).hasKey).toBe(true);
  expect((await connections.save({ baseUrl: 'http://127.0.0.1:9/v1', model: 'b', key: '' })).hasKey).toBe(false);
});

test('a malformed config.yaml is not overwritten', async () => {
  const { connections, read } = await open({ yaml: 'model: [unclosed\n' });
  await expect(connections.save({ baseUrl: 'http://127.0.0.1:9/v1', model: 'a' })).rejects.toMatchObject({ code: 'config/malformed' });
  expect(await read()).toBe('model: [unclosed\n');
});
