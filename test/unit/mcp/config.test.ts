import { expect, test } from 'vitest';
import { filteredEnvironment, readServer } from '../../../main/mcp/config.ts';
import { isWanted, toolName } from '../../../main/mcp/names.ts';

const variable = (name: string): string => ['$', '{', name, '}'].join('');
const from = { env: (name: string) => ({ KEY: 'k-1', PORT: '80' })[name], workspaceFolder: '/work' };

test('a stdio server gets Hermes\' defaults, and variables in every text', () => {
  expect(readServer('a', { command: 'npx', args: ['-y', variable('workspaceFolder'), 7], env: { TOKEN: variable('env:KEY'), N: 3 } }, from)).toMatchObject({
    kind: 'ok', config: { kind: 'stdio', command: 'npx', args: ['-y', '/work', '7'], env: { TOKEN: 'k-1', N: '3' }, enabled: true, timeout: 300, connect_timeout: 60, keepalive_interval: 180, supports_parallel_tool_calls: false },
  });
});

test('a remote server gets its headers filled in', () => {
  expect(readServer('a', { url: `http://127.0.0.1:${variable('PORT')}/mcp`, headers: { Authorization: `Bearer ${variable('KEY')}` }, transport: 'sse' }, from)).toMatchObject({
    kind: 'ok', config: { kind: 'remote', url: 'http://127.0.0.1:80/mcp', headers: { Authorization: 'Bearer k-1' }, transport: 'sse' },
  });
});

test.each([
  [{ command: 'x', timeout: -1 }, 'wrong', 'mcp_servers.a.timeout'],
  [{ url: 'file:///etc/passwd' }, 'wrong', 'mcp_servers.a.url'],
  [{ command: 'x', args: 'not a list' }, 'wrong', 'mcp_servers.a.args'],
  [{ command: 'x', keepalive_interval: 1 }, 'wrong', 'mcp_servers.a.keepalive_interval'],
  ['text', 'wrong', 'needs a command'],
  [{ command: variable('NOPE'), env: { A: variable('ALSO_NOT') } }, 'missing-variable', 'NOPE, ALSO_NOT'],
])('what is wrong is named with its place: %j', (raw, kind, words) => {
  expect(readServer('a', raw, from)).toMatchObject({ kind, message: expect.stringContaining(words) as string });
});

test('names become letters, digits and underscores', () => {
  expect(toolName('my-server', 'read.file/now')).toBe('mcp_my_server_read_file_now');
});

test('include beats exclude, and both are globs on the server\'s own names', () => {
  expect(isWanted('read_a', { include: ['read_?'], exclude: ['*'] })).toBe(true);
  expect(isWanted('write', { include: ['read_?'] })).toBe(false);
  expect(isWanted('a.b', { exclude: ['a?b'] })).toBe(false);
  expect(isWanted('axb', { exclude: ['a.b'] })).toBe(true);
  expect(isWanted('anything', {})).toBe(true);
});

test('only harmless variables and the configured ones reach a server', () => {
  expect(filteredEnvironment({ PATH: '/bin', HOME: '/h', AWS_SECRET_ACCESS_KEY: 's', XDG_DATA_HOME: '/x', LANG: undefined }, { OWN: '1' })).toEqual({ PATH: '/bin', HOME: '/h', XDG_DATA_HOME: '/x', OWN: '1' });
});
