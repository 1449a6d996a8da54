import { mkdir, utimes, writeFile as write } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { EnvironmentForTools } from '../../../environments/base.ts';
import { searchFiles } from '../../../tools/files/search.ts';
import { type ToolBench, openToolBench } from '../../support/tool-context.ts';

let bench: ToolBench;
beforeEach(async () => {
  bench = await openToolBench();
  await mkdir(at('src'));
  await mkdir(at('.git'));
  await write(at('src/a.ts'), 'const needle = 1;\nother\nneedle();\n');
  await write(at('src/b name.py'), 'needle = 2\n');
  await write(at('.env'), 'needle=secret\n');
  await write(at('.git/x'), 'needle\n');
  const old = new Date('2020-01-01');
  await utimes(at('src/a.ts'), old, old);
});
afterEach(async () => { await bench.close(); });

const at = (name: string): string => join(bench.folder, name);
type Result = Readonly<Record<string, unknown>>;

/** The same machine without ripgrep: neither the bundled one nor one on PATH. */
function withoutRipgrep(environment: EnvironmentForTools): EnvironmentForTools {
  return {
    ...bound(environment),
    stat: async (path) => (path.includes('ripgrep') ? undefined : environment.stat(path)),
    exec: async (spec) => environment.exec(spec.command === 'command -v rg' ? { ...spec, command: 'exit 1' } : spec),
  };
}

function bound(environment: EnvironmentForTools): EnvironmentForTools {
  return {
    describe: () => environment.describe(), exec: (spec) => environment.exec(spec), readFile: (path, options) => environment.readFile(path, options),
    writeFile: (path, bytes, options) => environment.writeFile(path, bytes, options), stat: (path) => environment.stat(path), list: (path) => environment.list(path),
    remove: (path) => environment.remove(path), rename: (from, to) => environment.rename(from, to), realpath: (path) => environment.realpath(path),
  };
}

describe.each(['ripgrep', 'grep and find'])('search_files with %s', (program) => {
  async function searching(args: Record<string, unknown>): Promise<Result> {
    const environment = program === 'ripgrep' ? bench.environment : withoutRipgrep(bench.environment);
    const context = bench.context();
    return JSON.parse(await searchFiles(args, { ...context, services: Object.create(context.services, { files: { value: { environment: () => Promise.resolve(environment) } } }) as typeof context.services })) as Result;
  }

  test('content is found with its line, secrets and .git are left out', async () => {
    const result = await searching({ pattern: 'needle' });
    expect(result).toMatchObject({ total_count: 3, truncated: false });
    expect(result['matches']).toEqual(expect.arrayContaining([
      { path: at('src/a.ts'), line: 1, content: 'const needle = 1;' }, { path: at('src/a.ts'), line: 3, content: 'needle();' }, { path: at('src/b name.py'), line: 1, content: 'needle = 2' },
    ]));
  });

  test('a page names where to go on', async () => {
    expect(await searching({ pattern: 'needle', path: 'src/a.ts', limit: 1 })).toMatchObject({ total_count: 2, truncated: true, _omitted: 1, hint: expect.stringContaining('offset=1') as string });
    expect(await searching({ pattern: 'needle', path: 'src/a.ts', limit: 1, offset: 1 })).toMatchObject({ matches: [{ line: 3 }], truncated: false });
  });

  test('context lines travel with their match and are marked', async () => {
    expect((await searching({ pattern: 'const', context: 1 }))['matches']).toEqual([
      { path: at('src/a.ts'), line: 1, content: 'const needle = 1;' }, { path: at('src/a.ts'), line: 2, content: 'other', context: true },
    ]);
  });

  test('a glob narrows, and the other output modes give files and counts', async () => {
    expect(await searching({ pattern: 'needle', file_glob: '*.py', output_mode: 'files_only' })).toMatchObject({ files: [at('src/b name.py')] });
    expect(await searching({ pattern: 'needle', path: 'src', output_mode: 'count' })).toMatchObject({ counts: { [at('src/a.ts')]: 2, [at('src/b name.py')]: 1 } });
  });

  test('files are found by name, newest first', async () => {
    expect((await searching({ pattern: '*', target: 'files', path: 'src' }))['files']).toEqual([at('src/b name.py'), at('src/a.ts')]);
    expect((await searching({ pattern: '*.ts', target: 'find' }))['files']).toEqual([at('src/a.ts')]);
  });

  test('nothing found is no error, a wrong expression is one', async () => {
    expect(await searching({ pattern: 'no such text anywhere' })).toEqual({ matches: [], total_count: 0, truncated: false });
    expect((await searching({ pattern: '(' }))['error']).toContain('The search failed');
    expect((await searching({ pattern: 'x', path: 'nowhere' }))['error']).toContain('Path not found');
  });

  test('quotes and dashes in a pattern are only text', async () => {
    await write(at('odd.txt'), "--it's $HOME `here`\n");
    expect((await searching({ pattern: "--it's \\$HOME `here`" }))['total_count']).toBe(1);
  });

  test('the fourth identical search is refused', async () => {
    await searching({ pattern: 'loop' });
    await searching({ pattern: 'loop' });
    expect((await searching({ pattern: 'loop' }))['_warning']).toContain('three times');
    expect((await searching({ pattern: 'loop' }))['error']).toContain('BLOCKED');
  });
});

test('a line of megabytes with a match in every place is found, and shown cut', async () => {
  await write(at('built.js'), `${'y'.repeat(600_000)}\nend\n`);
  const found = JSON.parse(await searchFiles({ pattern: 'y', path: 'built.js' }, bench.context())) as Result;
  expect(found).toMatchObject({ total_count: 1, matches: [{ path: at('built.js'), line: 1, content: expect.stringMatching(/^y{500}\.\.\. \[truncated\]$/) as string }] });
  expect(found).not.toHaveProperty('_warning');
});
