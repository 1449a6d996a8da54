import { expect, test } from 'vitest';
import { parseFlag, parseMode, parseUnattended, readSettings, textList } from '../../../main/config/settings.ts';
import { readConfig, valueAt } from '../../../main/config/document.ts';
import type { Settings } from '../../../preload/contract/index.ts';

function settings(yaml: string, environment: Record<string, string> = {}): { settings: Settings; warnings: string[] } {
  const { values, problem } = readConfig(yaml, 'c');
  const warnings: string[] = [];
  return { settings: readSettings({ get: (path) => valueAt(values, path), env: (name) => environment[name], problem, warn: (message) => warnings.push(message) }), warnings };
}

test.each([
  ['off', 'off'], ['"off"', 'off'], ['false', 'off'], ['no', 'off'], ['manual', 'manual'], ['smart', 'smart'], ['" Smart "', 'smart'], ['OFF', 'off'],
  ['true', 'manual'], ['on', 'manual'], ['auto', 'manual'], ['', 'manual'], ['""', 'manual'], ['7', 'manual'], ['[off]', 'manual'],
])('approvals.mode written as %s means %s', (written, mode) => {
  expect(settings(`approvals:\n  mode: ${written}\n`).settings.approvals.mode).toBe(mode);
});

test('a mode that nobody knows is told about', () => {
  expect(settings('approvals: {mode: auto}').warnings).toEqual([expect.stringContaining('"auto"')]);
  expect(settings('approvals: {mode: smart}').warnings).toEqual([]);
  expect(parseMode(undefined)).toBe('manual');
});

test('an empty configuration gives the defaults of Hermes', () => {
  expect(settings('').settings).toEqual({
    approvals: { mode: 'manual', timeoutSeconds: 300, deny: [] }, terminal: { backend: 'local', cwd: '', timeoutSeconds: 180, sandbox: 'off', sandboxNetwork: true }, terminalView: { fontSize: 13, screenReader: false, followNewest: true },
    maxIterations: 90, model: { vision: 'auto' }, redactSecrets: true, theme: 'system', problem: null,
  });
});

test('values of the file are taken over', () => {
  expect(settings(`
approvals: {mode: smart, timeout: 60, deny: ["git push *", 5]}
terminal: {backend: Docker, cwd: /srv, timeout: 20}
agent: {max_turns: 12}
security: {redact_secrets: off}
desktop: {theme: dark}`).settings).toEqual({
    approvals: { mode: 'smart', timeoutSeconds: 60, deny: ['git push *', '5'] }, terminal: { backend: 'docker', cwd: '/srv', timeoutSeconds: 20, sandbox: 'off', sandboxNetwork: true }, terminalView: { fontSize: 13, screenReader: false, followNewest: true },
    maxIterations: 12, model: { vision: 'auto' }, redactSecrets: false, theme: 'dark', problem: null,
  });
});

test('the environment goes before the file, and TERMINAL_ENV shuts the file out of the terminal group', () => {
  const yaml = 'terminal: {backend: docker, cwd: /srv, timeout: 20}';
  expect(settings(yaml, { TERMINAL_TIMEOUT: '30', HERMES_REDACT_SECRETS: '0' }).settings).toMatchObject({ terminal: { backend: 'docker', cwd: '/srv', timeoutSeconds: 30 }, terminalView: { fontSize: 13, screenReader: false, followNewest: true }, redactSecrets: false });
  expect(settings(yaml, { TERMINAL_ENV: 'ssh' }).settings.terminal).toEqual({ backend: 'ssh', cwd: '', timeoutSeconds: 180, sandbox: 'off', sandboxNetwork: true });
});

test.each([['off', 'off'], ['false', 'off'], ['read-only', 'read-only'], ['workspace-write', 'workspace-write'], ['readonly', 'read-only'], ['true', 'read-only']])('terminal.sandbox written as %s means %s: a slip of the pen opens nothing', (written, mode) => {
  const read = settings(`terminal: {sandbox: ${written}, sandbox_network: off}`);
  expect(read.settings.terminal).toMatchObject({ sandbox: mode, sandboxNetwork: false });
  expect(read.warnings).toHaveLength(written === mode || mode === 'off' ? 0 : 1);
});

test.each(['.', './', 'auto', 'cwd', ''])('the directory %j counts as not set', (cwd) => {
  expect(settings('', { TERMINAL_CWD: cwd }).settings.terminal.cwd).toBe('');
});

test('numbers that make no sense are told about and replaced; very long waits are bounded', () => {
  const { settings: read, warnings } = settings('approvals: {timeout: soon}\nterminal: {timeout: -4}\nagent: {max_turns: 0}');
  expect([read.approvals.timeoutSeconds, read.terminal.timeoutSeconds, read.maxIterations]).toEqual([300, 180, 90]);
  expect(warnings).toHaveLength(3);
  expect(settings('approvals: {timeout: 1e12}').settings.approvals.timeoutSeconds).toBe(31_536_000);
});

test('unattended policies approve only by the words that say so', () => {
  expect(['approve', ' Allow ', 'yes', 'off', true].map(parseUnattended)).toEqual(Array(5).fill('approve'));
  expect([undefined, 'deny', '', 'maybe', false, 1, null].map(parseUnattended)).toEqual(Array(7).fill('deny'));
});

test('lists and flags are read leniently', () => {
  expect([textList('a'), textList(['a', 1, true, null]), textList(undefined), textList(null)]).toEqual([['a'], ['a', '1'], [], []]);
  expect([parseFlag('on'), parseFlag(0), parseFlag('No'), parseFlag('maybe'), parseFlag(undefined)]).toEqual([true, false, false, undefined, undefined]);
});
