import { describe, expect, test } from 'vitest';
import { readAddress, sendsKeyInClear, withVersion } from '../../../../renderer/features/models/address.ts';

describe('the address of a model server', () => {
  test.each([
    ['http://127.0.0.1:11434/v1', 'http://127.0.0.1:11434/v1', undefined],
    ['http://127.0.0.1:11434/v1/', 'http://127.0.0.1:11434/v1', undefined],
    ['localhost:1234/v1', 'http://localhost:1234/v1', 'Uses http://localhost:1234/v1'],
    ['api.example.com/v1', 'https://api.example.com/v1', 'Uses https://api.example.com/v1'],
    ['https://api.example.com/v1/chat/completions', 'https://api.example.com/v1', 'Uses https://api.example.com/v1'],
    ['  https://api.example.com ', 'https://api.example.com', undefined],
  ])('%s', (typed, baseUrl, note) => {
    expect(readAddress(typed)).toEqual({ kind: 'ok', baseUrl, note });
  });

  test.each(['', '   ', 'ftp://example.com', 'https://me:secret@example.com/v1', 'http://', 'not an address', 'https://not an address/v1'])('%j is refused with a reason', (typed) => {
    const address = readAddress(typed);
    expect(address.kind).toBe('bad');
    expect(address.kind === 'bad' && address.message.length).toBeGreaterThan(10);
  });

  test('is worth a try below /v1 when it has no path of its own', () => {
    expect(['http://127.0.0.1:11434', 'https://api.example.com', 'https://api.example.com/v1', 'https://example.com/openai'].map(withVersion))
      .toEqual(['http://127.0.0.1:11434/v1', 'https://api.example.com/v1', undefined, undefined]);
  });

  test('warns when a key would cross a network unencrypted', () => {
    expect(['http://example.com/v1', 'http://192.168.1.5:8000', 'http://127.0.0.1:1/v1', 'http://localhost', 'https://example.com'].map(sendsKeyInClear))
      .toEqual([true, true, false, false, false]);
  });
});
