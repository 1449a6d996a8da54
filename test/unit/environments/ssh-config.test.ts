/** What `~/.ssh/config` and `known_hosts` say, as OpenSSH reads them. */
import { createHmac } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readHostConfig } from '../../../environments/ssh/config.ts';
import { parseDestination, resolveHops, type HopSource } from '../../../environments/ssh/hops.ts';
import { hostName, KnownHosts, parseKnownHosts } from '../../../environments/ssh/known-hosts.ts';
import { matchesPattern } from '../../../environments/ssh/patterns.ts';

let home: string;
let source: HopSource;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'talaria-ssh-config-'));
  await mkdir(join(home, '.ssh'));
  source = { files: [join(home, '.ssh', 'config'), join(home, 'system')], sshFolder: join(home, '.ssh'), userHome: home, localUser: 'me', agent: '/agent', env: { KEYS: '/keys' } };
});
afterEach(() => rm(home, { recursive: true, force: true }));

const write = (text: string, file = 'config') => writeFile(join(home, '.ssh', file), text);
const value = async (alias: string, keyword: string) => (await readHostConfig(alias, source)).get(keyword);

describe('patterns', () => {
  test.each([
    ['*', 'anything', true], ['web-?', 'web-1', true], ['web-?', 'web-12', false], ['*.example.com', 'a.b.example.com', true], ['*.example.com', 'example.com', false],
    ['WEB', 'web', true], ['a.c', 'abc', false], ['**', '', true], ['?', '', false], ['a*b*c', 'a-b-b-c', true], ['a*b*c', 'a-b-b', false],
  ])('%s and %s: %s', (pattern, name, fits) => { expect(matchesPattern(pattern, name)).toBe(fits); });

  test('a hostile pattern takes no time', () => {
    const began = performance.now();
    expect(matchesPattern(`${'a*'.repeat(200)}b`, 'a'.repeat(5_000))).toBe(false);
    expect(performance.now() - began).toBeLessThan(1_000);
  });
});

describe('~/.ssh/config', () => {
  test('the first value of a keyword wins, in the order of the file', async () => {
    await write('Host a\n  Port 1\nHost *\n  Port 2\n  User all\nHost a\n  User late\n');
    expect(await value('a', 'port')).toEqual(['1']);
    expect(await value('a', 'user')).toEqual(['all']);
    expect(await value('b', 'port')).toEqual(['2']);
  });

  test('keys are collected from all sections that fit', async () => {
    await write('Host a\n  IdentityFile one\nHost *\n  identityfile "two words"\n');
    expect(await value('a', 'identityfile')).toEqual(['one', 'two words']);
  });

  test('a negated pattern takes a host out', async () => {
    await write('Host *.example.com !bad.example.com\n  User inside\n');
    expect(await value('good.example.com', 'user')).toEqual(['inside']);
    expect(await value('bad.example.com', 'user')).toBeUndefined();
  });

  test('`=`, quotes, comments, tabs and letters of either case are read', async () => {
    await write('# comment\nHOST\ta b\n\tpOrT=77\n  User = "with blank"\n\n');
    expect(await value('b', 'port')).toEqual(['77']);
    expect(await value('b', 'user')).toEqual(['with blank']);
  });

  test('Include takes files by pattern, in order, relative to ~/.ssh; what stands in a section counts for that section only', async () => {
    await write('Include conf.d/*\nHost inner\n  Include extra\n');
    await mkdir(join(home, '.ssh', 'conf.d'));
    await write('Host a\n  Port 11\n', 'conf.d/10-a');
    await write('Host a\n  Port 22\n', 'conf.d/20-b');
    await write('User from-extra\nHost *\n  Port 33\n', 'extra');
    expect(await value('a', 'port')).toEqual(['11']);
    expect(await value('a', 'user')).toBeUndefined();
    expect(await value('inner', 'user')).toEqual(['from-extra']);
    expect(await value('inner', 'port')).toEqual(['33']);
  });

  test('a file that includes itself ends in words', async () => {
    await write('Include config\n');
    await expect(readHostConfig('a', source)).rejects.toMatchObject({ code: 'failed', message: expect.stringContaining('include each other') as unknown });
  });

  test('Match by host and user counts; a program in Match exec is never run, and counts as not met', async () => {
    await write(`Host a\n  HostName a.example.com\nMatch host *.example.com user me\n  Port 9\nMatch exec "touch ${home}/ran"\n  User wrong\n`);
    expect(await value('a', 'port')).toEqual(['9']);
    expect(await value('a', 'user')).toBeUndefined();
    await expect(import('node:fs/promises').then(({ stat }) => stat(join(home, 'ran')))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('the system\'s file comes after the user\'s', async () => {
    await write('Host a\n  Port 5\n');
    await writeFile(join(home, 'system'), 'Port 6\nUser everybody\n');
    expect([await value('a', 'port'), await value('a', 'user')]).toEqual([['5'], ['everybody']]);
  });
});

describe('the way to a server', () => {
  test('settings of Talaria win over the file, which wins over what is usual', async () => {
    const variable = ['$', '{KEYS}'].join('');
    await write(`Host box\n  HostName %h.example.com\n  User filed\n  Port 2200\n  IdentityFile ~/.ssh/k-%r\n  IdentityFile ${variable}/two\n  IdentityAgent none\n  StrictHostKeyChecking accept-new\n`);
    expect(await resolveHops({ host: 'box', user: 'given' }, source)).toMatchObject([{
      host: 'box.example.com', port: 2200, user: 'given', known: '[box.example.com]:2200', agent: undefined, newKeys: 'accept',
      keys: [{ file: join(home, '.ssh', 'k-given'), named: true }, { file: '/keys/two', named: true }],
    }]);
    expect(await resolveHops({ host: 'other' }, source)).toMatchObject([{ host: 'other', port: 22, user: 'me', known: 'other', agent: '/agent', newKeys: 'ask', keys: [{ named: false }, {}, {}] }]);
  });

  test('jump hosts come first, each as its own section says, the later ones through the earlier', async () => {
    await write('Host target\n  ProxyJump first,root@second:2222\nHost first\n  User one\n  ProxyJump outermost\nHost second\n  ProxyJump ignored\n');
    expect((await resolveHops({ host: 'target' }, source)).map(({ user, host, port }) => `${user}@${host}:${port}`)).toEqual(['me@outermost:22', 'one@first:22', 'root@second:2222', 'me@target:22']);
    expect(await resolveHops({ host: 'target', jump: 'none' }, source)).toHaveLength(1);
  });

  test('a circle of jump hosts ends in words instead of a connection past them', async () => {
    await write('Host a\n  ProxyJump b\nHost b\n  ProxyJump a\n');
    await expect(resolveHops({ host: 'a' }, source)).rejects.toMatchObject({ message: expect.stringContaining('circle') as unknown });
  });

  test('a ProxyCommand is taken as it stands in its line, tokens filled in; quotes and number signs belong to it', async () => {
    await write('Host a\n  HostName a.example.com\n  Port 2200\n  ProxyCommand = sh -c \'nc "%h" %p # %% %n\' %r %x\t\n');
    expect(await resolveHops({ host: 'a', user: 'u' }, source)).toMatchObject([{ proxyCommand: 'sh -c \'nc "a.example.com" 2200 # % a\' u %x', host: 'a.example.com' }]);
  });

  test('of ProxyJump and ProxyCommand the first counts; `none` and a jump host of Talaria\'s settings switch the command off', async () => {
    await write('Host a\n  ProxyCommand nc %h %p\n  ProxyJump j\nHost b\n  ProxyJump j\n  ProxyCommand nc %h %p\nHost c\n  ProxyCommand none\nHost *\n  ProxyCommand never %h\n');
    const way = async (host: string, jump?: string) => (await resolveHops({ host, ...(jump === undefined ? {} : { jump }) }, source)).map((hop) => `${hop.host} ${hop.proxyCommand ?? '-'}`);
    expect(await way('a')).toEqual(['a nc a 22']);
    expect(await way('b')).toEqual(['j never j', 'b -']);
    expect(await way('c')).toEqual(['c -']);
    expect(await way('a', 'none')).toEqual(['a -']);
    expect(await way('a', 'x,y')).toEqual(['x never x', 'y -', 'a -']);
  });

  test.each([['ProxyUseFdpass yes', 'ProxyUseFdpass'], ['RevokedHostKeys ~/.ssh/revoked', '@revoked']])('%s is refused with the next step, not passed over', async (line, words) => {
    await write(`Host a\n  ${line}\n`);
    await expect(resolveHops({ host: 'a' }, source)).rejects.toMatchObject({ code: 'failed', message: expect.stringContaining(line.split(' ')[0] ?? '') as unknown, hint: expect.stringContaining(words === '@revoked' ? words : 'ProxyJump') as unknown });
  });

  test.each(['a;reboot', '-oProxyCommand=x', 'a b', '$(x)'])('%s as a host or user stands in no ProxyCommand', async (name) => {
    await write('Host *\n  ProxyCommand nc %h %p\n');
    await expect(resolveHops({ host: name }, source)).rejects.toMatchObject({ code: 'denied' });
    await expect(resolveHops({ host: 'a', user: name }, source)).rejects.toMatchObject({ code: 'denied' });
  });

  test.each([
    ['host', { host: 'host' }], ['user@host:2', { host: 'host', user: 'user', port: 2 }], ['ssh://u@h:22', { host: 'h', user: 'u', port: 22 }], ['u@[::1]:22', { host: '::1', user: 'u', port: 22 }],
  ])('%s is a jump host', (text, parsed) => { expect(parseDestination(text)).toEqual(parsed); });
  test('a jump host that is none is named', () => { expect(() => parseDestination('a b:c')).toThrow('"a b:c" is no jump host'); });
});

describe('known_hosts', () => {
  const KEY = Buffer.from('key');
  const line = (hosts: string, marker = '') => `${marker}${hosts} ssh-ed25519 ${KEY.toString('base64')} comment`;
  const found = (text: string, name: string) => parseKnownHosts(text, 'file', name).map((known) => [known.line, known.kind]);

  test('names, ports, patterns and lists are matched', () => {
    const text = ['# nothing', line('plain,10.0.0.1'), line('[odd]:2222'), line('*.example.com,!bad.example.com'), 'broken', ''].join('\n');
    expect(found(text, 'plain')).toEqual([[2, 'host']]);
    expect(found(text, '10.0.0.1')).toEqual([[2, 'host']]);
    expect(found(text, hostName('odd', 2222))).toEqual([[3, 'host']]);
    expect(found(text, 'odd')).toEqual([]);
    expect(found(text, 'good.example.com')).toEqual([[4, 'host']]);
    expect(found(text, 'bad.example.com')).toEqual([]);
  });

  test('a hashed name is matched by its hash alone', () => {
    const salt = Buffer.from('01234567890123456789');
    const hash = createHmac('sha1', salt).update('[secret.example.com]:2222').digest('base64');
    const text = line(`|1|${salt.toString('base64')}|${hash}`);
    expect(found(text, hostName('secret.example.com', 2222))).toEqual([[1, 'host']]);
    expect(found(text, 'secret.example.com')).toEqual([]);
  });

  test('lines that revoke and lines that name an authority are told apart; a marker that is not known says nothing', () => {
    expect(found(`${line('a', '@revoked ')}\n${line('a', '@cert-authority ')}\n${line('a', '@other ')}`, 'a')).toEqual([[1, 'revoked'], [2, 'authority']]);
  });

  test('where an authority is trusted, a key that no line has is neither new nor known', async () => {
    const own = join(home, 'known_hosts');
    await writeFile(own, `${line('*', '@cert-authority ')}\n`);
    const hosts = new KnownHosts(own);
    expect(await hosts.check('a', { type: 'ssh-ed25519', bytes: KEY }, [])).toEqual({ kind: 'authority', file: own, line: 1 });
    expect(await hosts.types('a', [])).toEqual([]);
    await hosts.remember('a', { type: 'ssh-ed25519', bytes: KEY });
    expect(await hosts.check('a', { type: 'ssh-ed25519', bytes: KEY }, [])).toEqual({ kind: 'known' });
  });

  test('a changed key names the line that disagrees', async () => {
    const own = join(home, 'known_hosts');
    await writeFile(own, `${line('other')}\n${line('a')}\n`);
    expect(await new KnownHosts(own).check('a', { type: 'ssh-ed25519', bytes: Buffer.from('else') }, [])).toEqual({ kind: 'changed', file: own, line: 2 });
    expect(await new KnownHosts(own).check('a', { type: 'ssh-ed25519', bytes: KEY }, [])).toEqual({ kind: 'known' });
  });

  test('a file that cannot be read is not taken for an empty one', async () => {
    await mkdir(join(home, 'folder'));
    await expect(new KnownHosts(join(home, 'folder')).check('a', { type: 'ssh-ed25519', bytes: KEY }, [])).rejects.toMatchObject({ code: 'EISDIR' });
  });
});
