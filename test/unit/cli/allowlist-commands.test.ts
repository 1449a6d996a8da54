import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ImportPreview, ListedRule } from '../../../preload/contract/index.ts';
import type { Handlers } from '../../support/bridge-host.ts';
import { runWith, testCliHost, testStreams } from '../../support/cli-host.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'talaria-import-'));
  file = join(folder, 'rules.json');
  writeFileSync(file, '{"rules":1}');
});
afterEach(() => { rmSync(folder, { recursive: true, force: true }); });

const LOOK: ImportPreview = {
  items: [
    { id: 'aaaaaaaaaaaa', what: 'rule', kind: 'allow', text: 'allow git push … (everywhere, local)', state: 'new' },
    { id: 'bbbbbbbbbbbb', what: 'rule', kind: 'deny', text: 'deny rm *', state: 'new' },
    { id: 'cccccccccccc', what: 'entry', kind: 'allow', text: 'find -delete', state: 'same' },
    { id: 'dddddddddddd', what: 'entry', kind: 'allow', text: 'fork bomb', state: 'refused', why: 'never run' },
  ],
  removed: ['ls *'],
};
const handlers: Handlers = {
  'approvalRules.importPreview': () => LOOK,
  'approvalRules.importAccept': ({ ids }) => ({ ...LOOK, items: LOOK.items.map((item) => (ids.includes(item.id) ? { ...item, state: 'same' as const } : item)) }),
  'approvalRules.export': () => ({ text: '{"format":"talaria-rules"}\n' }),
};
async function run(...argv: string[]): Promise<{ code: number; out: string; calls: { name: string; input: unknown }[] }> {
  const streams = testStreams({ interactive: false });
  const host = testCliHost(handlers);
  const code = await runWith(host, streams, 'allowlist', ...argv);
  return { code, out: streams.out(), calls: host.calls.map(({ name, input }) => ({ name, input })) };
}

describe('import', () => {
  test('shows the differences and changes nothing', async () => {
    const { code, out, calls } = await run('import', file);
    expect(code).toBe(0);
    expect(out.split('\n').slice(0, 5)).toEqual(['+ aaaaaaaaaaaa  allow git push … (everywhere, local)', '+ bbbbbbbbbbbb  deny rm *', '= cccccccccccc  find -delete  (command_allowlist)', '! dddddddddddd  fork bomb  (command_allowlist)  never run', '  only here, stays: ls *']);
    expect(out).toContain('--accept aaaaaaaaaaaa,bbbbbbbbbbbb');
    expect(calls.map(({ name }) => name)).toEqual(['approvalRules.importPreview']);
  });

  test('--accept alone takes over what asks or forbids, and never what allows', async () => {
    const { out, calls } = await run('import', file, '--accept');
    expect(calls.at(-1)).toEqual({ name: 'approvalRules.importAccept', input: { text: '{"rules":1}', ids: ['bbbbbbbbbbbb'] } });
    expect(out).toContain('1 taken over.');
    expect(out).toContain('--accept aaaaaaaaaaaa');
  });

  test('--accept with ids takes over exactly those', async () => {
    const { calls } = await run('import', file, '--accept', 'aaaaaaaaaaaa, bbbbbbbbbbbb');
    expect(calls.at(-1)?.input).toMatchObject({ ids: ['aaaaaaaaaaaa', 'bbbbbbbbbbbb'] });
  });

  test('of a file that is not there, and --accept elsewhere, are wrong use', async () => {
    expect((await run('import', join(folder, 'nowhere'))).code).toBe(2);
    expect((await run('import')).code).toBe(2);
    expect((await run('list', '--accept')).code).toBe(2);
  });
});

test('export writes the text as it is', async () => {
  expect(await run('export')).toMatchObject({ code: 0, out: '{"format":"talaria-rules"}\n' });
});

test('test draws the tree of commands with what decides each, and the verdict on each backend', async () => {
  const streams = testStreams({ interactive: false });
  const part = (text: string, depth: number, verdict: 'allow' | 'ask', rule?: string): object => ({ text, argv: [text], start: 0, end: 1, depth, verdict, ...(rule === undefined ? {} : { rule }) });
  const host = testCliHost({ 'allowlist.test': () => ({ verdict: 'ask', findings: [], parts: [part('sudo rm x', 0, 'allow'), part('rm x', 1, 'ask', 'recursive delete')] as never, backends: [{ backend: 'local', verdict: 'ask' }, { backend: 'modal', verdict: 'allow', rule: 'sandbox' }] }) });
  expect(await runWith(host, streams, 'allowlist', 'test', 'sudo rm x')).toBe(0);
  expect(streams.out()).toBe('ask\n  allow sudo rm x\n  ask     └ rm x  recursive delete\nask   on local\nallow on modal  sandbox\n');
});

test('rules are listed with their remarks, and removed by id', async () => {
  const streams = testStreams({ interactive: false });
  const listed = { rule: { id: 'rule_000000000001', uses: 3 }, text: 'allow git push …', holds: true, remarks: [{ kind: 'unused', text: 'Not used.' }] } as unknown as ListedRule;
  const host = testCliHost({ 'approvalRules.list': () => [listed], 'approvalRules.remove': () => [] });
  await runWith(host, streams, 'allowlist', 'rules');
  expect(streams.out()).toBe('rule_000000000001  allow git push …  used 3 ×\n  Not used.\n');
  expect(await runWith(host, streams, 'allowlist', 'remove', 'rule_000000000001')).toBe(0);
  expect(host.calls.at(-1)).toMatchObject({ name: 'approvalRules.remove', input: { id: 'rule_000000000001' } });
});
