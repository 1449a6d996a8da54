import { expect, test } from 'vitest';
import { parseManifest } from '../../../main/plugins/manifest.ts';

test('what is wrong with a manifest is told on one line, with its place', () => {
  expect(() => parseManifest('version: [\n')).toThrow(/^plugin\.yaml: [^\n]+ at line 2, column 1$/);
  expect(() => parseManifest('requires_env: 3\n')).toThrow(/^plugin\.yaml: requires_env: [^\n]+$/);
  expect(parseManifest('')).toMatchObject({ requires_env: [], provides_tools: [] });
});
