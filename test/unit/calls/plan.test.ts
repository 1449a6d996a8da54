import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { pathsOverlap, planSegments, scopeOf } from '../../../main/calls/plan.ts';
import { planToolBatch } from '../../../main/calls/plan-paths.ts';
import { runBatch } from '../../../main/calls/run-batch.ts';
import { pathsOfPatch } from '../../../main/calls/v4a-paths.ts';
import type { BatchCall, BatchSegment } from '../../../main/ports.ts';
import type { EnvironmentForTools } from '../../../environments/base.ts';
import { silentLog } from '../../../main/log.ts';
import { contextOf, temporaryFolder } from './support.ts';

let next = 0;
const call = (name: string, args: Record<string, unknown> | undefined = {}): BatchCall => ({ id: String(next += 1), name, args });
const plan = (calls: readonly BatchCall[], parallelMcp = (_name: string): boolean => false): BatchSegment[] => planSegments(calls, { parallelMcp, canonical: scopeOf });
const shape = (segments: readonly BatchSegment[]): string => segments.map(({ kind, calls }) => `${kind === 'parallel' ? '‖' : '→'}${calls.map(({ name }) => name).join('+')}`).join(' ');

describe('segments', () => {
  test.each<[string, BatchCall[], string]>([
    ['nothing', [], ''],
    ['one safe call is sequential', [call('web_search')], '→web_search'],
    ['safe calls run together', [call('web_search'), call('web_extract'), call('session_search')], '‖web_search+web_extract+session_search'],
    ['a question stands alone', [call('web_search'), call('clarify'), call('web_search'), call('web_search')], '→web_search+clarify ‖web_search+web_search'],
    ['commands run in order', [call('terminal'), call('terminal'), call('process')], '→terminal+terminal+process'],
    ['unreadable arguments stand alone', [call('web_search'), { ...call('web_search'), args: undefined }, call('web_search')], '→web_search+web_search+web_search'],
    ['readers of one file run together', [call('read_file', { path: '/a' }), call('read_file', { path: '/a' })], '‖read_file+read_file'],
    ['writers of different files run together', [call('write_file', { path: '/a' }), call('write_file', { path: '/b' })], '‖write_file+write_file'],
    ['a writer waits for readers of its path', [call('read_file', { path: '/a' }), call('read_file', { path: '/b' }), call('write_file', { path: '/a' }), call('read_file', { path: '/c' })], '‖read_file+read_file ‖write_file+read_file'],
    ['a search below a directory meets a writer inside it', [call('search_files', { path: '/src' }), call('write_file', { path: '/src/x' })], '→search_files+write_file'],
    ['a path-scoped call without a path stands alone', [call('web_search'), call('read_file', {}), call('web_search')], '→web_search+read_file+web_search'],
    ['a patch without headers stands alone', [call('patch', { mode: 'patch', patch: 'nonsense' }), call('web_search')], '→patch+web_search'],
    ['todo, memory, delegation and scripts run in order', [call('todo'), call('memory'), call('delegate_task'), call('execute_code'), call('browser_click'), call('send_message')], '→todo+memory+delegate_task+execute_code+browser_click+send_message'],
  ])('%s', (_what, calls, expected) => {
    expect(shape(plan(calls))).toBe(expected);
  });

  test('MCP tools run together only when their server says so', () => {
    const calls = [call('mcp_a_x'), call('mcp_a_y'), call('mcp_b_x')];
    expect(shape(plan(calls))).toBe('→mcp_a_x+mcp_a_y+mcp_b_x');
    expect(shape(plan(calls, (name) => name.startsWith('mcp_a')))).toBe('‖mcp_a_x+mcp_a_y →mcp_b_x');
  });

  const through = (name: string, args: unknown = {}): BatchCall => call('tool_call', { name, arguments: args });
  const optedIn = (name: string): boolean => name.startsWith('mcp_a');

  test.each<[string, BatchCall[], string]>([
    ['of a server that opted in run together, directly or not', [through('mcp_a_x'), call('mcp_a_y'), through('mcp_a_x', '{"n": 1}')], '‖tool_call+mcp_a_y+tool_call'],
    ['of another server run in order', [through('mcp_a_x'), through('mcp_b_x'), through('mcp_a_x')], '→tool_call+tool_call+tool_call'],
    ['that name nothing or the bridge itself run in order', [through('mcp_a_x'), call('tool_call'), through('tool_call', { name: 'mcp_a_x' }), through('mcp_a_y')], '→tool_call+tool_call+tool_call+tool_call'],
    ['whose arguments are no object stand alone', [through('mcp_a_x'), through('mcp_a_x', [1]), through('mcp_a_x', '7'), through('mcp_a_y')], '→tool_call+tool_call+tool_call+tool_call'],
    ['that talk to the person stand alone', [through('mcp_a_x'), through('clarify'), through('mcp_a_x')], '→tool_call+tool_call+tool_call'],
    ['that write where another reads wait', [through('write_file', { path: '/a/b' }), through('mcp_a_x'), call('read_file', { path: '/a' })], '‖tool_call+tool_call →read_file'],
    ['that write elsewhere do not', [through('write_file', '{"path": "/a/b"}'), call('read_file', { path: '/c' })], '‖tool_call+read_file'],
    ['that write nowhere stand alone', [through('mcp_a_x'), through('write_file'), through('mcp_a_x')], '→tool_call+tool_call+tool_call'],
  ])('calls through the bridge %s', (_what, calls, expected) => {
    expect(shape(plan(calls, optedIn))).toBe(expected);
  });

  test('search_files without a path searches here', () => {
    expect(scopeOf(call('search_files', { pattern: 'x' }))).toEqual({ kind: 'reads', paths: ['.'] });
    expect(scopeOf(call('terminal', { path: '/a' }))).toBeUndefined();
  });

  test('a patch over several files takes its paths from its headers', () => {
    const patch = '*** Begin Patch\n*** Update File: a.ts\n@@\n-x\n+y\n*** Add File: new dir/b.ts\n+z\r\n*** Delete File: c.ts\n*** Move File: d.ts -> e.ts\n*** Update File: f.ts\n*** Move to: g.ts\n*** End Patch';
    expect(pathsOfPatch(patch)).toEqual(['a.ts', 'new dir/b.ts', 'c.ts', 'd.ts', 'e.ts', 'f.ts', 'g.ts']);
    expect(scopeOf(call('patch', { mode: 'patch', path: 'ignored', patch: '*** Update File: real' }))).toEqual({ kind: 'writes', paths: ['real'] });
    expect(scopeOf(call('patch', { path: 'p', old_string: 'a', new_string: 'b' }))).toEqual({ kind: 'writes', paths: ['p'] });
  });

  test.each([['/a', '/a', true], ['/a', '/a/b', true], ['/a/b', '/a', true], ['/a', '/ab', false], ['/a/b', '/a/c', false], ['/', '/x', true], ['/a/', '/a', true]])('%s and %s overlap: %s', (a, b, expected) => {
    expect(pathsOverlap(a, b)).toBe(expected);
  });
});

describe('paths as they really are', () => {
  function place(cwd: string): Parameters<typeof planToolBatch>[1] {
    const environment = {
      describe: () => ({ backend: 'local', homeDirectory: cwd }),
      realpath: (path: string) => {
        try { return Promise.resolve(realpathSync(path)); } catch { return Promise.resolve(join(realpathSync(join(path, '..')), path.split('/').at(-1) ?? '')); }
      },
    } as unknown as EnvironmentForTools; // cast: the planner asks for nothing else
    return contextOf({ cwd, services: { files: { environment: () => Promise.resolve(environment) } } });
  }

  test('links, dots and the home sign are seen through', async () => {
    const folder = realpathSync(temporaryFolder());
    mkdirSync(join(folder, 'real'));
    writeFileSync(join(folder, 'real/a'), '');
    symlinkSync(join(folder, 'real'), join(folder, 'link'));
    const same = ['link/a', './real/a', 'real/../real/a', '~/real/a', join(folder, 'link/a')];
    for (const path of same) {
      const segments = await planToolBatch([call('write_file', { path: 'real/a' }), call('read_file', { path })], place(folder), () => false, silentLog);
      expect(shape(segments)).toBe('→write_file+read_file');
    }
    expect(shape(await planToolBatch([call('write_file', { path: 'real/a' }), call('read_file', { path: 'real/b' })], place(folder), () => false, silentLog))).toBe('‖write_file+read_file');
  });

  test('a place that cannot be asked means one after the other', async () => {
    const context = contextOf({ services: { files: { environment: () => Promise.reject(new Error('down')) } } });
    expect(shape(await planToolBatch([call('write_file', { path: 'a' }), call('write_file', { path: 'b' })], context, () => false, silentLog))).toBe('→write_file+write_file');
  });

  test('reads alone do not need the place', async () => {
    expect(shape(await planToolBatch([call('read_file', { path: 'a' }), call('read_file', { path: 'b' })], contextOf(), () => false, silentLog))).toBe('‖read_file+read_file');
  });
});

describe('running a plan', () => {
  const parallel = (count: number): BatchSegment[] => [{ kind: 'parallel', calls: Array.from({ length: count }, () => call('web_search')) }];

  test('answers come in call order whatever ends first, at most eight run at once, and each call is answered once', async () => {
    const gates = Array.from({ length: 20 }, () => Promise.withResolvers<undefined>());
    let running = 0;
    let most = 0;
    let started = 0;
    const segments = parallel(20);
    const ids = segments[0]?.calls.map(({ id }) => id) ?? [];
    const results = runBatch(segments, async ({ id }) => {
      running += 1;
      started += 1;
      most = Math.max(most, running);
      await gates[ids.indexOf(id)]?.promise;
      running -= 1;
      return id;
    }, () => 'skipped', new AbortController().signal);
    await new Promise(setImmediate);
    expect(started).toBe(8);
    for (const gate of gates.toReversed()) { gate.resolve(undefined); await new Promise(setImmediate); }
    expect(await results).toEqual(ids);
    expect([most, started]).toEqual([8, 20]);
  });

  test('after a stop nothing starts, what runs may end, and every call has an answer', async () => {
    const stop = new AbortController();
    const started: string[] = [];
    const segments = [...parallel(10), { kind: 'sequential' as const, calls: [call('terminal'), call('terminal')] }];
    const results = await runBatch(segments, ({ id }) => {
      started.push(id);
      if (started.length === 8) stop.abort();
      return Promise.resolve('ran');
    }, () => 'skipped', stop.signal);
    expect(started).toHaveLength(8);
    expect(results).toEqual([...Array.from({ length: 8 }, () => 'ran'), 'skipped', 'skipped', 'skipped', 'skipped']);
  });
});

describe('laws on a model file system', () => {
  const path = fc.constantFrom('/a', '/a/x', '/a/y', '/b', '/b/x', '/');
  const anyCall = fc.oneof(
    fc.record({ name: fc.constantFrom('read_file', 'write_file', 'search_files', 'patch'), args: fc.record({ path }) }),
    fc.record({ name: fc.constantFrom('web_search', 'terminal', 'clarify', 'todo'), args: fc.constant({}) }),
    fc.record({ name: fc.constantFrom('read_file', 'write_file'), args: fc.constantFrom({}, undefined) }),
  ).map(({ name, args }) => call(name, args));
  const batch = fc.array(anyCall, { maxLength: 12 });
  const scope = (each: BatchCall): { writes: boolean; path: string } | undefined => {
    const found = scopeOf(each);
    const [only] = found?.paths ?? [];
    return found === undefined || only === undefined ? undefined : { writes: found.kind === 'writes', path: only };
  };
  const conflicting = (a: BatchCall, b: BatchCall): boolean => {
    const [left, right] = [scope(a), scope(b)];
    return left !== undefined && right !== undefined && (left.writes || right.writes) && pathsOverlap(left.path, right.path);
  };

  test('the plan holds every call once, in order', () => {
    fc.assert(fc.property(batch, (calls) => {
      expect(plan(calls).flatMap((segment) => segment.calls)).toEqual(calls);
    }));
  });

  test('no two calls of a parallel segment conflict, none of them is a barrier, and it has at least two', () => {
    fc.assert(fc.property(batch, (calls) => {
      for (const { kind, calls: together } of plan(calls)) {
        if (kind === 'sequential') continue;
        expect(together.length).toBeGreaterThan(1);
        for (const [index, a] of together.entries()) {
          expect(['terminal', 'clarify', 'todo']).not.toContain(a.name);
          for (const b of together.slice(index + 1)) expect(conflicting(a, b)).toBe(false);
        }
      }
    }));
  });

  test('running the plan, in any order within its parallel parts, reads and leaves what running one by one does', async () => {
    await fc.assert(fc.asyncProperty(batch, fc.infiniteStream(fc.nat(7)), async (calls, delays) => {
      const execute = (disk: Map<string, string>, each: BatchCall): string => {
        const at = scope(each);
        if (at === undefined) return 'nothing';
        if (at.writes) { disk.set(at.path, `by ${each.id}`); return 'written'; }
        return [...disk].filter(([place]) => pathsOverlap(place, at.path)).sort().map(([place, text]) => `${place}=${text}`).join();
      };
      const expectedDisk = new Map<string, string>();
      const expected = calls.map((each) => execute(expectedDisk, each));
      const disk = new Map<string, string>();
      const results = await runBatch(plan(calls), async (each) => {
        for (let wait = delays.next().value ?? 0; wait > 0; wait -= 1) await Promise.resolve();
        return execute(disk, each);
      }, () => 'skipped', new AbortController().signal);
      expect(results).toEqual(expected);
      expect([...disk].sort()).toEqual([...expectedDisk].sort());
    }), { numRuns: 200 });
  });
});
