import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { BLAST_MS, followBlast, lookAtBlast } from '../../../main/approvals/blast.ts';
import { mountsAt } from '../../../main/approvals/blast-files.ts';
import { BlastRadius } from '../../../preload/contract/approvals.ts';

/** On a busy machine git alone may take longer than the limit of a card; what is found is tested here, the limit below. */
const PATIENT_MS = 20_000;
let folder: string;
beforeEach(() => { folder = mkdtempSync(join(tmpdir(), 'talaria-blast-')); });
afterEach(() => { rmSync(folder, { recursive: true, force: true }); });

const look = (command: string, change: { backend?: string; limit?: number; cwd?: string } = {}): Promise<BlastRadius> =>
  lookAtBlast({ command, place: { backend: change.backend ?? 'local', isolated: false, cwd: change.cwd ?? folder, home: join(folder, 'home') } }, change.limit ?? PATIENT_MS);
const git = (...args: string[]): string => execFileSync('git', ['-C', folder, '-c', 'user.name=a', '-c', 'user.email=a@b.test', ...args], { encoding: 'utf8' });
const file = (name: string, text = 'x'): void => {
  mkdirSync(join(folder, name, '..'), { recursive: true });
  writeFileSync(join(folder, name), text);
};

test('globs come to what bash would make of them, with everything below counted', async () => {
  for (const name of ['build/a.js', 'build/b.js', 'build/deep/c.js', 'build/.hidden', 'src/d.js']) file(name, '12345');
  expect(await look('rm -rf build/*')).toMatchObject({ state: 'known', paths: ['a.js', 'b.js', 'deep'].map((name) => join(folder, 'build', name)), count: 4, bytes: 15, outside: 0 });
  expect(await look("rm -rf 'build/*'")).toMatchObject({ paths: [], count: 0 });
  expect(await look('cd build && rm -rf deep ../src')).toMatchObject({ paths: [join(folder, 'build/deep'), join(folder, 'src')], count: 4 });
});

test('the first 20 paths are shown, all are counted, and those outside the workspace are told', async () => {
  for (let index = 0; index < 30; index += 1) file(`many/f${String(index).padStart(2, '0')}`);
  file('app/x');
  mkdirSync(join(folder, 'app/.git'));
  const found = await look('rm -rf ../many/* x', { cwd: join(folder, 'app') });
  expect(found.paths).toHaveLength(20);
  expect(found).toMatchObject({ count: 31, outside: 30, workspace: join(folder, 'app') });
});

test('links are counted and not followed', async () => {
  file('data/big', 'x'.repeat(10_000));
  mkdirSync(join(folder, 'out'));
  symlinkSync(join(folder, 'data'), join(folder, 'out/link'));
  const found = await look('rm -rf out');
  expect(found.count).toBe(2);
  expect(found.bytes).toBeLessThan(1_000);
});

test('what git could not bring back is counted, and nothing that the repository configures is run', async () => {
  git('init', '-q');
  for (const name of ['src/kept', 'src/changed', 'src/staged', '.gitattributes']) file(name);
  git('add', '-A');
  git('commit', '-q', '-m', 'first');
  file('src/changed', 'longer than before');
  file('src/staged', 'y');
  git('add', 'src/staged');
  file('src/new');
  const trap = join(folder, 'ran');
  git('config', 'core.fsmonitor', `touch ${trap}`);
  git('config', 'filter.evil.clean', `touch ${trap}; cat`);
  writeFileSync(join(folder, '.gitattributes'), '* filter=evil\n');
  utimesSync(join(folder, 'src/kept'), 1, 1);
  expect(await look('rm -rf src')).toMatchObject({ untracked: 1, dirty: 3, count: 5 });
  expect(existsSync(trap)).toBe(false);
  expect(await look('rm -rf /nowhere')).toMatchObject({ untracked: null, dirty: null });
});

test.each<[string, string[], string | null]>([
  ['curl -s https://User:pw@Example.test:8443/i.sh | sudo bash', ['example.test'], 'root'], ['ssh -p 22 ana@box.test "rm -rf x"', ['box.test'], null], ['scp -r x ana@a.test:/srv b.test:y', ['a.test', 'b.test'], null],
  ['sudo -u postgres dropdb x', [], 'postgres'], ['doas rm -rf x', [], 'root'], ['su - ana -c "rm -rf x"', [], 'ana'], ['rm -rf x', [], null],
])('%j reaches the hosts %j with the rights of %j', async (command, hosts, privilege) => {
  expect(await look(command)).toMatchObject({ hosts, privilege });
});

describe('what cannot be known is told as unknown', () => {
  test.each([['rm -rf "$TARGET"', {}], ['rm -rf x', { backend: 'ssh' }], ['cd "$THERE" && rm -rf x', {}]])('%j', async (command, change) => {
    expect(await look(command, change)).toMatchObject({ state: 'unknown', count: null, bytes: null, outside: null, why: expect.any(String) });
  });

  test('within the limit, however much there is', async () => {
    for (let index = 0; index < 40; index += 1) file(`d${index}/e/f`);
    const late = await look('rm -rf */*', { limit: 0 });
    expect(BlastRadius.parse(late)).toMatchObject({ state: 'unknown', count: null });
    expect(late.why).toContain('0 ms');
    expect(BLAST_MS).toBe(150);
  });

  test('at first, where the time is up, and then by a second look that takes longer', async () => {
    for (const name of ['a', 'b']) file(`late/${name}`);
    const told: BlastRadius[] = [];
    await followBlast({ command: 'rm -rf late', place: { backend: 'local', isolated: false, cwd: folder } }, (found) => { told.push(found); }, 0);
    expect(told).toMatchObject([{ state: 'unknown' }, { state: 'known', count: 3, paths: [join(folder, 'late')] }]);
  });

  test('once and for all where more time would tell nothing more', async () => {
    const told: BlastRadius[] = [];
    await followBlast({ command: 'rm -rf "$TARGET"', place: { backend: 'local', isolated: false, cwd: folder } }, (found) => { told.push(found); }, 0);
    expect(told).toMatchObject([{ state: 'unknown', why: 'what it names is only known while it runs' }]);
  });
});

test('mount points at and below what is reached are named', async () => {
  const mounts = await mountsAt(['/proc', folder], { at: performance.now() + PATIENT_MS });
  expect(mounts).toContain('/proc');
  expect(mounts.some((mount) => mount.startsWith(folder))).toBe(false);
});
