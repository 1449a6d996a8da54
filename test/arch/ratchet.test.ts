/** What is not yet perfect is counted, and the counts may only fall: lower a number in `ratchet.json` when you lowered it in the code. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import limits from './ratchet.json' with { type: 'json' };

const root = join(import.meta.dirname, '..', '..');
/** A module over this many lines holds more than one subject. */
const LONG_LINES = 300;

const tracked = execFileSync('git', ['ls-files', '-z', 'main', 'tools', 'environments', 'preload', 'renderer', 'test'], { cwd: root, encoding: 'utf8' }).split('\0').filter((file) => /\.tsx?$/.test(file) && !file.startsWith('test/arch/'));
const texts = tracked.flatMap((file) => {
  try {
    return [[file, readFileSync(join(root, file), 'utf8')] as const];
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []; // deleted, not committed yet
    throw error;
  }
});
const count = (pattern: RegExp, inTests: boolean): number => texts.filter(([file]) => inTests || !file.startsWith('test/')).reduce((sum, [, text]) => sum + (text.match(pattern)?.length ?? 0), 0);

const long = (): string[] => texts.filter(([file, text]) => !file.startsWith('test/') && text.split('\n').length - 1 > LONG_LINES).map(([file]) => file);

test('the checkout is read: hundreds of modules', () => {
  expect(texts.length).toBeGreaterThan(300);
});

test.each<[keyof typeof limits, () => number]>([
  ['modules over 300 lines', () => long().length],
  ['as any', () => count(/\bas any\b(?= *[;,)\]}.])/g, true)],
  ['compiler errors silenced', () => count(/@ts-(?:expect-error|ignore|nocheck)/g, true)],
  ['lint rules silenced in the product', () => count(/eslint-disable/g, false)],
  ['lint rules silenced without a reason', () => count(/eslint-disable(?![^\n]* -- )/g, true)],
  ['notes of unfinished work', () => count(/\b(?:TODO|FIXME|XXX|HACK)\b/g, false)],
  /** Skips need a reason, which the test command itself demands. */
  ['tests marked only, todo or failing', () => count(/\b(?:test|describe|it)\.(?:todo|only|fails)\(/g, true)],
])('%s: no more than before', (name, found) => {
  expect(found()).toBeLessThanOrEqual(limits[name]);
});
