import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, readFile as read, rm, stat, symlink, writeFile as write } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { patchFiles } from '../../../tools/files/patch.ts';
import { UNCHANGED_NOTICE, readFile } from '../../../tools/files/read.ts';
import { forgetReads } from '../../../tools/files/read-state.ts';
import { writeFile } from '../../../tools/files/write.ts';
import { type ToolBench, openToolBench } from '../../support/tool-context.ts';

let bench: ToolBench;
beforeEach(async () => { bench = await openToolBench(); });
afterEach(async () => { await bench.close(); });

type Result = Readonly<Record<string, unknown>>;
const json = (text: string): Result => JSON.parse(text) as Result;
const reading = async (args: Record<string, unknown>): Promise<Result> => json(await readFile(args, bench.context()));
const writing = async (args: Record<string, unknown>): Promise<Result> => json(await writeFile(args, bench.context()));
const patching = async (args: Record<string, unknown>): Promise<Result> => json(await patchFiles(args, bench.context()));
const at = (name: string): string => join(bench.folder, name);
const text = async (name: string): Promise<string> => read(at(name), 'utf8');

describe('read_file', () => {
  test('numbers the lines and pages with offset and limit', async () => {
    await write(at('a.txt'), 'one\ntwo\r\nthree\n');
    expect(await reading({ path: 'a.txt', offset: 2, limit: 1 }))
      .toEqual({ content: '2|two', total_lines: 3, file_size: 15, truncated: true, hint: 'Lines 2-2 of 3; go on with offset=3.' });
    expect(await reading({ path: 'a.txt', offset: 9 })).toMatchObject({ content: '', hint: expect.stringContaining('only 3 lines') as string });
  });

  test('a second read of the same range says unchanged outside the content, a third is refused, and a write makes it new', async () => {
    await write(at('a.txt'), 'one\n');
    await reading({ path: 'a.txt' });
    expect(await reading({ path: 'a.txt' })).toEqual({ status: 'unchanged', message: UNCHANGED_NOTICE, path: at('a.txt'), dedup: true, content_returned: false });
    expect(await reading({ path: 'a.txt' })).toMatchObject({ error: expect.stringContaining('BLOCKED') as string, already_read: true });
    await write(at('a.txt'), 'two\n');
    await writing({ path: 'b.txt', content: 'x' });
    expect(await reading({ path: 'a.txt' })).toMatchObject({ content: '1|two' });
  });

  test.each([
    ['/dev/zero', 'device file'], ['.', 'directory'], ['missing.txt', 'File not found'], ['pic.png', 'vision_analyze'], ['data.bin', 'binary file'], ['.env', 'Read denied'],
  ])('%s is refused with the reason', async (path, reason) => {
    await write(at('pic.png'), Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2]));
    await write(at('data.bin'), Buffer.from([0, 1, 2, 3]));
    await write(at('.env'), 'KEY=1');
    expect(await reading({ path })).toMatchObject({ error: expect.stringContaining(reason) as string });
  });

  test('a link that leads to a device or a secret is refused', async () => {
    await write(at('.env'), 'KEY=1');
    await symlink('/dev/zero', at('zero.txt'));
    await symlink(at('.env'), at('plain.txt'));
    expect((await reading({ path: 'zero.txt' }))['error']).toContain('device');
    expect((await reading({ path: 'plain.txt' }))['error']).toContain('Read denied');
  });

  test('similar names are offered when a file is missing', async () => {
    await write(at('config.ts'), '');
    expect(await reading({ path: 'confg.ts' })).toMatchObject({ similar_files: [at('config.ts')] });
  });

  test('UTF-16 is read, long lines are cut, secrets are hidden, and too much at once is refused', async () => {
    await write(at('w.txt'), Buffer.from('\uFEFFgrüße\n', 'utf16le'));
    expect(await reading({ path: 'w.txt' })).toMatchObject({ content: '1|grüße' });
    await write(at('long.txt'), `${'x'.repeat(3_000)}\nsk-secretsecretsecretsecret\n`);
    expect(await reading({ path: 'long.txt' })).toMatchObject({ content: `1|${'x'.repeat(2_000)}... [truncated]\n2|[hidden]` });
    await write(at('huge.txt'), `${'y'.repeat(1_000)}\n`.repeat(300));
    expect(await reading({ path: 'huge.txt' })).toMatchObject({ error: expect.stringContaining('exceeds the safety limit') as string, total_lines: 300 });
  });
});

describe('write_file', () => {
  test('writes, makes the folders and says so', async () => {
    expect(await writing({ path: 'new/deep/a.txt', content: 'hi\n' }))
      .toEqual({ bytes_written: 3, resolved_path: at('new/deep/a.txt'), files_modified: [at('new/deep/a.txt')], dirs_created: [at('new/deep')] });
    expect(await text('new/deep/a.txt')).toBe('hi\n');
  });

  test('mode, byte-order mark, line ends and links of the old file are kept', async () => {
    await write(at('real.sh'), '\uFEFFa\r\nb\r\n');
    await chmod(at('real.sh'), 0o751);
    await symlink(at('real.sh'), at('link.sh'));
    await writing({ path: 'link.sh', content: 'x\ny\n' });
    expect(await text('real.sh')).toBe('\uFEFFx\r\ny\r\n');
    expect((await stat(at('real.sh'))).mode & 0o777).toBe(0o751);
  });

  test.each([
    [{ content: 'x' }, "'path'"], [{ path: 'a' }, "'content'"], [{ path: 'a', content: UNCHANGED_NOTICE }, 'notice'],
    [{ path: 'a', content: '1|one\n2|two\n3|three' }, 'line numbers'], [{ path: '~/.ssh/authorized_keys', content: 'x' }, 'protected'],
    [{ path: '/etc/passwd', content: 'x' }, 'protected'], [{ path: '.hermes/.env', content: 'x' }, 'protected'],
    [{ path: '.hermes/profiles/work/config.yaml', content: 'x' }, 'another profile'],
  ])('%j is refused with the reason', async (args, reason) => {
    expect((await writing(args))['error']).toContain(reason);
  });

  test('a link into a protected folder does not lead round the protection', async () => {
    await mkdir(at('.ssh'));
    await symlink(at('.ssh'), at('innocent'));
    expect((await writing({ path: 'innocent/id_rsa', content: 'x' }))['error']).toContain('protected');
  });

  test('HERMES_WRITE_SAFE_ROOT keeps writes inside', async () => {
    bench.variables.set('HERMES_WRITE_SAFE_ROOT', at('inside'));
    expect((await writing({ path: 'outside.txt', content: 'x' }))['error']).toContain('HERMES_WRITE_SAFE_ROOT');
    expect((await writing({ path: 'inside/ok.txt', content: 'x' }))['error']).toBeUndefined();
  });

  test('an ordinary file of the workspace is not asked about, anything else meets the rules of the shell', async () => {
    await writing({ path: 'src/config.yaml', content: 'a: 1\n' });
    expect(bench.reviews).toEqual([]);
    bench.answer = { approved: false, message: 'BLOCKED: the user said no' };
    expect(await writing({ path: '.bashrc', content: 'x' })).toMatchObject({ error: 'BLOCKED: the user said no', status: 'blocked' });
    expect(bench.reviews.map((request) => request.command)).toEqual([`tee -- ${at('.bashrc')}`]);
    await expect(read(at('.bashrc'))).rejects.toThrow('ENOENT');
  });

  test('new syntax errors are told, old ones are not', async () => {
    expect(await writing({ path: 'a.json', content: '{"a": 1' })).toMatchObject({ lint: expect.stringContaining('Syntax error') as string });
    expect((await writing({ path: 'a.json', content: '{"b": 1' }))['lint']).toBeUndefined();
    expect(await writing({ path: 'a.ts', content: 'const a: number = ;' })).toMatchObject({ lint: expect.stringContaining('Syntax error') as string });
  });

  test('a file that changed since it was read carries a warning', async () => {
    await write(at('a.txt'), 'one');
    await reading({ path: 'a.txt' });
    await write(at('a.txt'), 'two');
    expect((await writing({ path: 'a.txt', content: 'three' }))['_warning']).toContain('changed on disk');
  });
});

describe('patch', () => {
  test('replaces, tells the strategy and shows a diff', async () => {
    await write(at('a.py'), 'x = 1\ny = 2\n');
    const result = await patching({ path: 'a.py', old_string: 'y = 2', new_string: 'y = 3' });
    expect(result).toMatchObject({ success: true, strategy: 'exact', files_modified: [at('a.py')], resolved_path: at('a.py') });
    expect(result['diff']).toContain('-y = 2\n+y = 3');
    expect(await text('a.py')).toBe('x = 1\ny = 3\n');
  });

  test('several places need replace_all or more context', async () => {
    await write(at('a.txt'), 'a\nb\na\n');
    expect(await patching({ path: 'a.txt', old_string: 'a', new_string: 'c' })).toMatchObject({ error: expect.stringContaining('Found 2 matches') as string, matches: ['L1: a', 'L3: a'] });
    expect(await patching({ path: 'a.txt', old_string: 'a', new_string: 'c', replace_all: true })).toMatchObject({ success: true, replacements: 2 });
    expect(await text('a.txt')).toBe('c\nb\nc\n');
  });

  test('an edit that is there already is a success that writes nothing', async () => {
    await write(at('a.txt'), 'the new text\n');
    expect(await patching({ path: 'a.txt', old_string: 'something long gone', new_string: 'the new text' })).toMatchObject({ success: true, files_modified: [] });
  });

  test('the third failure on one file changes the advice', async () => {
    await write(at('a.txt'), 'hello\n');
    const fail = async (): Promise<Result> => patching({ path: 'a.txt', old_string: 'zzzzzz qqqqqq', new_string: 'y' });
    expect((await fail())['_hint']).toBeUndefined();
    await fail();
    expect((await fail())['_hint']).toContain('Read the file again');
  });

  test('a patch over several files is applied whole', async () => {
    await write(at('a.txt'), 'one\ntwo\n');
    await write(at('gone.txt'), 'bye\n');
    await write(at('old.txt'), 'move me\n');
    const result = await patching({ mode: 'patch', patch: '*** Begin Patch\n*** Update File: a.txt\n one\n-two\n+2\n*** Add File: sub/new.txt\n+fresh\n*** Delete File: gone.txt\n*** Move File: old.txt -> sub/moved.txt\n*** End Patch' });
    expect(result['success']).toBe(true);
    expect([await text('a.txt'), await text('sub/new.txt'), await text('sub/moved.txt')]).toEqual(['one\n2\n', 'fresh\n', 'move me\n']);
    await expect(read(at('gone.txt'))).rejects.toThrow('ENOENT');
    await expect(read(at('old.txt'))).rejects.toThrow('ENOENT');
  });

  test('when one hunk does not fit nothing at all is written', async () => {
    await write(at('a.txt'), 'one\n');
    await write(at('b.txt'), 'two\n');
    const result = await patching({ mode: 'patch', patch: '*** Update File: a.txt\n-one\n+1\n*** Update File: b.txt\n-nowhere to be found\n+2' });
    expect(result['error']).toContain('Nothing was written');
    expect([await text('a.txt'), await text('b.txt')]).toEqual(['one\n', 'two\n']);
  });

  test('a file that is not valid text is not edited', async () => {
    await write(at('latin.txt'), Buffer.from([0x67, 0xfc, 0x6e, 0x0a]));
    expect((await patching({ path: 'latin.txt', old_string: 'g', new_string: 'h' }))['error']).toContain('not valid text');
  });

  test('deleting outside the workspace is asked about', async () => {
    await write(at('x.txt'), 'x');
    bench.answer = { approved: false, message: 'no' };
    const result = json(await patchFiles({ mode: 'patch', patch: `*** Delete File: ${at('x.txt')}` }, bench.context({ cwd: '/usr/share' })));
    expect(result).toMatchObject({ error: 'no' });
    expect(bench.reviews[0]?.command).toBe(`rm -- ${at('x.txt')}`);
    expect(await text('x.txt')).toBe('x');
  });
});

test('after a trim of the chat an unchanged file is read in full again', async () => {
  await write(at('a.txt'), 'one\n');
  await reading({ path: 'a.txt' });
  forgetReads(bench.context().sessionId);
  expect(await reading({ path: 'a.txt' })).toMatchObject({ content: '1|one' });
});

describe('what must not be damaged, or hold the app up', () => {
  test('a write over a file that is no UTF-8 says so', async () => {
    await write(at('latin.txt'), Buffer.from('caf\xe9\n', 'latin1'));
    expect(await writing({ path: 'latin.txt', content: 'café\n' })).toMatchObject({ bytes_written: 6, _warning: expect.stringContaining('UTF-8 now') as string });
    expect(await writing({ path: 'latin.txt', content: 'plain\n' })).not.toHaveProperty('_warning');
  });

  test('similar text is not looked for in a file of millions of characters, exact text is', async () => {
    await write(at('large.txt'), `${'x'.repeat(5_000_000)}\nthe end\n`);
    const began = performance.now();
    expect(await patching({ path: 'large.txt', old_string: 'xy', new_string: 'z' })).toMatchObject({ error: expect.stringMatching(/exactly old_string.*too large/) as string });
    expect(performance.now() - began).toBeLessThan(5_000);
    expect(await patching({ path: 'large.txt', old_string: 'the end', new_string: 'the end of it' })).toMatchObject({ success: true, strategy: 'exact' });
    expect((await text('large.txt')).endsWith('x\nthe end of it\n')).toBe(true);
    expect(await patching({ mode: 'patch', patch: '*** Update File: large.txt\n@@\n-the end\n+x' })).toMatchObject({ error: expect.stringMatching(/^Nothing was written\..*too large/) as string });
  });

  test.skipIf(process.getuid?.() !== 0)('a file that its owner may not write stays as it is (needs root to become somebody else)', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'talaria-readonly-'));
    try {
      await write(join(folder, 'kept.txt'), 'kept\n', { mode: 0o444 });
      for (const path of [folder, join(folder, 'kept.txt')]) await chown(path, 65_534, 65_534);
      const files = new URL('../../../environments/local/files.ts', import.meta.url).href;
      const script = `const { localFiles } = await import(${JSON.stringify(files)}); for (const name of ['kept.txt', 'new.txt']) await localFiles.writeFile(name, Buffer.from('changed')).then(() => console.log('written'), (error) => console.log(error.code));`;
      const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { cwd: folder, uid: 65_534, gid: 65_534, env: { PATH: '/usr/bin:/bin' } });
      expect(stdout).toBe('denied\nwritten\n');
      expect(await read(join(folder, 'kept.txt'), 'utf8')).toBe('kept\n');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
