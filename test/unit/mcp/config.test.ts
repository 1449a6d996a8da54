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
  [['node', 'x'], 'wrong', 'needs a command'],
  [{ comand: 'x' }, 'wrong', 'mcp_servers.a.comand: there is no such key; write command.'],
  [{ cmd: 'x' }, 'wrong', 'mcp_servers.a.cmd: there is no such key; write command.'],
  [{ command: 'x', disabled: true }, 'wrong', 'mcp_servers.a.disabled: there is no such key; write enabled: false to switch a server off'],
  [{ url: 'https://a.example', Headers: {} }, 'wrong', 'mcp_servers.a.Headers: there is no such key; write headers'],
  [{ command: 'x', keepaliveInterval: 5 }, 'wrong', 'write keepalive_interval'],
  [{ command: 'x', tools: { includes: ['a'] } }, 'wrong', 'mcp_servers.a.tools.includes: there is no such key; write include'],
  [{ command: 'x', url: 'https://a.example' }, 'wrong', 'has both a command and a url'],
  [{ command: 'x', args: 'y z' }, 'wrong', 'mcp_servers.a.args: has to be a list, and is a text; write [one, two]'],
  [{ command: ['x', 'y'] }, 'wrong', 'mcp_servers.a.command: has to be a text, and is a list; write the program alone, what follows it as args'],
  [{ command: 'x', env: ['A=1'] }, 'wrong', 'mcp_servers.a.env: has to be names with values, and is a list; write {NAME: value}'],
  [{ command: 'x', tools: ['a'] }, 'wrong', 'mcp_servers.a.tools: has to be names with values, and is a list; write {include: [one, two]}'],
  [{ command: 'x', timeout: '60' }, 'wrong', 'mcp_servers.a.timeout: has to be a number, without quotes, and is a text'],
  [{ command: 'x', trust: 'none' }, 'wrong', 'mcp_servers.a.trust: has to be one of full, untrusted, and is "none"'],
  [{ url: 'localhost:3000/mcp' }, 'wrong', 'mcp_servers.a.url: has to be a whole address that starts with http:// or https://, and is "localhost:3000/mcp"'],
  [{ url: 'https://a.example', transport: 'websocket' }, 'wrong', 'has to be one of http, sse, and is "websocket"'],
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
