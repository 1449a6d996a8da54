import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Spill, spillName, unwrapMcp } from '../../../main/calls/spill.ts';
import { silentLog } from '../../../main/log.ts';
import { ToolRegistry } from '../../../tools/registry.ts';
import { ManualClock, temporaryFolder, tool } from './support.ts';

function made(budget: Readonly<Record<string, unknown>> = {}): { spill: Spill; folder: string; registry: ToolRegistry; clock: ManualClock } {
  const registry = new ToolRegistry({ log: () => undefined });
  const clock = new ManualClock();
  const folder = join(temporaryFolder(), 'spillover');
  return { registry, clock, folder, spill: new Spill({ registry, clock, log: silentLog, folder, budget: (path) => budget[path] }) };
}

describe('limits', () => {
  test('pinned, overridden, MCP, the tool\'s own, the default', () => {
    const { spill, registry } = made({ 'overrides.big': 150_000 });
    registry.register(tool('read_file', { maxResultSizeChars: 10 }));
    registry.register(tool('small', { maxResultSizeChars: 10 }));
    registry.register(tool('huge', { maxResultSizeChars: 900_000 }));
    registry.register(tool('endless', { maxResultSizeChars: Number.POSITIVE_INFINITY }));
    const limits = ['read_file', 'big', 'mcp_x_y', 'small', 'huge', 'endless', 'other'].map((name) => spill.limitFor(name));
    expect(limits).toEqual([Number.POSITIVE_INFINITY, 150_000, 50_000, 10, 100_000, Number.POSITIVE_INFINITY, 100_000]);
    expect(made({ mcp_result_size_chars: 70_000 }).spill.limitFor('mcp_x')).toBe(70_000);
    expect(made({ mcp_result_size_chars: 700_000 }).spill.limitFor('mcp_x')).toBe(100_000);
  });

  test('small windows get small results, but not tiny ones', () => {
    const { spill } = made();
    expect([spill.limitFor('x', 32_000), spill.limitFor('x', 4_000), spill.limitFor('x', 1_000_000)]).toEqual([19_200, 8_000, 100_000]);
    expect([spill.turnLimit(), spill.turnLimit(32_000), spill.turnLimit(4_000), spill.turnLimit(1_000_000)]).toEqual([200_000, 38_400, 16_000, 200_000]);
  });
});

describe('saved results', () => {
  test('hold every character, and the block says how many, where, and how to read on', async () => {
    const { spill, folder } = made();
    const text = `${'é'.repeat(100)}\n${'x'.repeat(1_000)}\n${'y'.repeat(120_000)}`;
    const { text: block, savedTo } = await spill.bound('t', 'call_1', text);
    expect(savedTo).toBe(join(folder, 'call_1.txt'));
    expect(readFileSync(savedTo ?? '', 'utf8')).toBe(text);
    expect(block).toBe([
      '<persisted-output>', 'This result is too large (121102 characters, 118.4 KB).', `Full output saved to: ${savedTo ?? ''}`,
      'Read the parts you need with read_file, using offset and limit.', '', 'Preview of the first 1101 characters:', `${'é'.repeat(100)}\n${'x'.repeat(1_000)}\n...`, '</persisted-output>',
    ].join('\n'));
    expect(await spill.save('call_2', block)).toEqual({ text: block, savedTo: null });
  });

  test('a preview without a late newline is cut at 1,500 characters, never inside a character', async () => {
    const { spill } = made();
    const { text } = await spill.save('c', `${'a'.repeat(1_499)}${'😀'.repeat(50_000)}`);
    expect(text).toContain(`${'a'.repeat(1_499)}\n...`);
  });

  test('a text at the limit stays as it is', async () => {
    const { spill, folder } = made();
    const text = 'x'.repeat(100_000);
    expect(await spill.bound('t', 'c', text)).toEqual({ text, savedTo: null });
    expect(existsSync(folder)).toBe(false);
  });

  test.each(['call_abc', 'a.b-c_d'])('the id %s is its own file name', (id) => {
    expect(spillName(id)).toBe(id);
  });

  test.each(['../../etc/passwd', 'a/b', '', '..', '.', 'ü', 'x'.repeat(300)])('the id %j becomes a plain name of its own', (id) => {
    expect(spillName(id)).toMatch(/^[A-Za-z0-9_.-]{0,107}_[0-9a-f]{12}$/);
    expect(spillName(id)).not.toBe(spillName(`${id}!`));
  });

  test('a folder that cannot be written gives the beginning and says so', async () => {
    const { spill, folder } = made();
    mkdirSync(join(folder, '..'), { recursive: true });
    writeFileSync(folder, 'in the way');
    expect(await spill.save('c', 'x'.repeat(5_000))).toEqual({ savedTo: null, text: `${'x'.repeat(1_500)}\n[Truncated: tool response was 5000 chars. Full output could not be saved to sandbox.]` });
  });

  test('an MCP envelope is saved as its text', async () => {
    const { spill } = made();
    const { savedTo } = await spill.save('c', JSON.stringify({ result: 'line\n'.repeat(30_000), structuredContent: { a: 1 }, _meta: {} }));
    expect(readFileSync(savedTo ?? '', 'utf8')).toBe('line\n'.repeat(30_000));
    for (const text of ['{"result":1}', '{"result":"x","other":1}', '{"result"', 'plain']) expect(unwrapMcp(text)).toBe(text);
  });

  test('files of yesterday are removed, at most once an hour', async () => {
    const { spill, folder, clock } = made();
    await spill.save('fresh', 'x');
    const old = (clock.now() - 25 * 3_600_000) / 1_000;
    for (const name of ['old.txt', 'other.log']) { writeFileSync(join(folder, name), ''); utimesSync(join(folder, name), old, old); }
    clock.advance(3_600_000);
    await spill.prune();
    expect(readdirSync(folder).sort()).toEqual(['fresh.txt', 'other.log']);
    writeFileSync(join(folder, 'old.txt'), '');
    utimesSync(join(folder, 'old.txt'), old, old);
    await spill.prune();
    expect(existsSync(join(folder, 'old.txt'))).toBe(true);
  });
});

describe('the budget of a turn', () => {
  const result = (callId: string, chars: number, name = 't'): { callId: string; name: string; text: string; savedTo: null } => ({ callId, name, text: callId.repeat(chars).slice(0, chars), savedTo: null });

  test('the largest are saved first until all fit; order and the others stay', async () => {
    const { spill } = made();
    const results = [result('a', 70_000), result('b', 90_000), result('c', 60_000), result('d', 10)];
    const limited = await spill.limitTurn(results);
    expect(limited.map(({ callId, savedTo }) => [callId, savedTo !== null])).toEqual([['a', false], ['b', true], ['c', false], ['d', false]]);
    expect(limited.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThan(200_000);
    expect(limited[0]).toBe(results[0]);
  });

  test('what was read from a file and what is saved already is not saved again', async () => {
    const { spill } = made();
    const results = [result('r', 300_000, 'read_file'), { ...result('s', 50_000), savedTo: '/x' }];
    expect(await spill.limitTurn(results)).toEqual(results);
  });

  test('a turn within its budget is left alone', async () => {
    const { spill, folder } = made();
    const results = [result('a', 99_000), result('b', 101_000)];
    expect(await spill.limitTurn(results)).toEqual(results);
    expect(existsSync(folder)).toBe(false);
  });
});
