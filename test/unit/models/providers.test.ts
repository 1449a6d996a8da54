import { expect, test } from 'vitest';
import { readConfiguredModel } from '../../../main/models/providers.ts';
import type { JsonValue } from '../../../tools/context.ts';

function read(model: JsonValue, providers?: JsonValue, customProviders?: JsonValue): ReturnType<typeof readConfiguredModel> {
  return readConfiguredModel({ model, providers, customProviders });
}

test('a bare name is a model whose address is left to the environment', () => {
  expect(read('hermes-4')).toEqual({ name: 'default', model: 'hermes-4' });
});

test('a custom block gives address, key and window', () => {
  expect(read({ default: 'qwen3', provider: 'custom', base_url: 'http://127.0.0.1:8080/v1', api_key: 'k', context_length: 65_536 }))
    .toEqual({ name: 'default', baseUrl: 'http://127.0.0.1:8080/v1', model: 'qwen3', key: 'k', contextTokens: 65_536 });
});

test('a provider named in providers lends its address, its key variable and the window of the model', () => {
  const providers = { Lab: { base_url: 'http://lab:9000/v1', key_env: 'LAB_KEY', models: { big: { context_length: 4_096 } } } };
  expect(read({ default: 'big', provider: 'lab' }, providers)).toEqual({ name: 'lab', baseUrl: 'http://lab:9000/v1', model: 'big', keyEnv: 'LAB_KEY', contextTokens: 4_096 });
});

test('the older list of custom providers works too, with or without its prefix', () => {
  const list = [{ name: 'lab', base_url: 'http://lab:9000/v1', model: 'small' }];
  expect(read({ provider: 'custom:lab' }, undefined, list)).toEqual({ name: 'custom:lab', baseUrl: 'http://lab:9000/v1', model: 'small' });
  expect(read({ provider: 'LAB' }, undefined, list)?.baseUrl).toBe('http://lab:9000/v1');
});

test('a well-known provider has its address and its variable', () => {
  expect(read({ default: 'x/y', provider: 'openrouter' })).toMatchObject({ baseUrl: 'https://openrouter.ai/api/v1', keyEnv: 'OPENROUTER_API_KEY' });
});

test('a provider that nobody knows is named, unless the file gives an address', () => {
  expect(read({ default: 'x', provider: 'nowhere' })).toMatchObject({ unknownProvider: 'nowhere' });
  expect(read({ default: 'x', provider: 'nowhere', base_url: 'http://a/v1' })).not.toHaveProperty('unknownProvider');
});

test('names that objects answer to by themselves are no providers', () => {
  expect(read({ default: 'x', provider: 'constructor' }, {})).toMatchObject({ unknownProvider: 'constructor' });
});

test.each([[undefined], [null], [[]], [{}], [7], ['']])('%j says nothing about a model', (model) => {
  expect(readConfiguredModel({ model, providers: undefined, customProviders: undefined })?.model).toBeUndefined();
});
