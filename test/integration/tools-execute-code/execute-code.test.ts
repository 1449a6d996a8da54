/** Real scripts through the real host: every tool it may call, every limit, on this machine and over ssh. */
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { SessionId } from '../../../preload/contract/index.ts';
import { haveSshd, startSshd, type TestSshd } from '../../support/sshd.ts';
import { openHostBench, type HostBench } from '../../support/test-host.ts';

interface Result { readonly status: string; readonly output: string; readonly tool_calls_made: number; readonly duration_seconds: number; readonly exit_code?: number; readonly error?: string; readonly stdout_truncated?: boolean; readonly stdout_bytes_total?: number }

let bench: HostBench;
let sessionId: SessionId;
const OFF = 'approvals:\n  mode: off\ncode_execution:\n  timeout: 20\n  max_tool_calls: 6\n';

async function run(code: string, more: Record<string, unknown> = {}, signal: AbortSignal = AbortSignal.timeout(60_000)): Promise<Result> {
  const { fullText } = await bench.host.callTool('execute_code', { code, ...more }, { sessionId, signal });
  return JSON.parse(fullText) as Result;
}
const leftovers = async (folder: string): Promise<string[]> => (await readdir(folder)).filter((name) => name.startsWith('talaria-script-'));

describe('on this machine', () => {
  beforeAll(async () => {
    bench = await openHostBench({ yaml: OFF, withoutModel: true });
    sessionId = (await bench.session()).id;
    await writeFile(join(bench.folder, 'notes.txt'), 'alpha\nbeta\n');
    await writeFile(join(bench.folder, 'helper.py'), 'WORD = "from the project"\n');
  });
  afterAll(() => bench.close());

  test('a script reads, searches, writes, changes and runs; only what it prints comes back', async () => {
    const result = await run([
      'from hermes_tools import read_file, write_file, search_files, patch, terminal',
      'raw = read_file("notes.txt", raw=True)["content"]',
      'numbered = read_file("notes.txt")["content"]',
      'write_file("made.txt", raw.upper())',
      'print(patch(path="made.txt", old_string="BETA", new_string="GAMMA").get("success"))',
      'print(search_files("GAMMA")["total_count"], repr(raw), repr(numbered))',
      'print(terminal("echo from-shell; exit 3")["exit_code"])',
    ].join('\n'));
    expect(result).toMatchObject({ status: 'success', exit_code: 0, tool_calls_made: 6 });
    expect(result.output).toBe("True\n1 'alpha\\nbeta\\n' '1|alpha\\n2|beta'\n3\n");
    expect(await readFile(join(bench.folder, 'made.txt'), 'utf8')).toBe('ALPHA\nGAMMA\n');
    expect(await readFile(join(bench.folder, 'made.txt'), 'utf8')).toContain('GAMMA');
    expect(result.duration_seconds).toBeGreaterThan(0);
    expect(await leftovers(process.env['TMPDIR'] ?? tmpdir())).toEqual([]);
  });

  test.each([
    ['a last line without an end, and a very long one', `${'x'.repeat(5_000)}\nlast`],
    ['an empty line at its end', 'one\n\n'], ['nothing in it', ''], ['only a line end', '\n'],
  ])('a file with %s is written back as it was read', async (_what, content) => {
    await writeFile(join(bench.folder, 'same.txt'), content);
    expect(await run('from hermes_tools import read_file, write_file\nwrite_file("copy.txt", read_file("same.txt", raw=True)["content"])')).toMatchObject({ status: 'success' });
    expect(await readFile(join(bench.folder, 'copy.txt'), 'utf8')).toBe(content);
  });

  test.each([
    ['import os; os.kill(os.getpid(), 9)', 'The script was killed by SIGKILL, probably out of memory (exit code 137).', ''],
    ['import sys; print("so far"); sys.exit(3)', 'The script ended with exit code 3.', 'so far\n'],
  ])('%s: the error says what happened and points nowhere else', async (code, error, output) => {
    expect(await run(code)).toMatchObject({ status: 'error', error, output });
  });

  test('reading the same file again and again gives the same shape each time', async () => {
    const result = await run('from hermes_tools import read_file\nprint(len({str(read_file("notes.txt")) for _ in range(6)}))');
    expect(result).toMatchObject({ status: 'success', output: '1\n', tool_calls_made: 6 });
    const read = await bench.host.callTool('read_file', { path: 'notes.txt' }, { sessionId, signal: AbortSignal.timeout(10_000) });
    expect(read.fullText).toContain('alpha');
  });

  test('beyond the limit of calls the script is told, and goes on', async () => {
    const result = await run('from hermes_tools import terminal\nfor n in range(8):\n    answer = terminal("true")\nprint(answer["error"])');
    expect(result).toMatchObject({ status: 'success', tool_calls_made: 6, output: expect.stringContaining('Tool call limit reached (6)') as string });
  });

  test('calls from several threads are answered side by side, each with its own', async () => {
    const result = await run([
      'from concurrent.futures import ThreadPoolExecutor', 'from hermes_tools import terminal',
      'with ThreadPoolExecutor(4) as pool:', '    print(sorted(pool.map(lambda n: terminal("sleep 0.2; echo %d" % n)["output"].strip(), range(4))))',
    ].join('\n'));
    expect(result.output).toBe("['0', '1', '2', '3']\n");
  });

  test.each(['background=True', 'pty=True', 'notify_on_complete=True', 'watch_patterns=["x"]'])('terminal(%s) is refused: nothing outlives its call', async (field) => {
    const result = await run(`from hermes_tools import terminal\nprint(terminal("true", ${field})["error"])`);
    expect(result).toMatchObject({ status: 'success', tool_calls_made: 0, output: expect.stringContaining('in the foreground') as string });
  });

  test('tools that scripts may not call are not reachable by hand either', async () => {
    const result = await run('import hermes_tools\nprint(hermes_tools._call("memory", {})["error"])\nhermes_tools._TOKEN = "guess"\nprint(hermes_tools._call("terminal", {"command": "true"})["error"])');
    expect(result.output).toMatch(/cannot call 'memory'[\s\S]*not one of the script/);
    expect(result.tool_calls_made).toBe(0);
  });

  test('an exception shows its traceback and is an error', async () => {
    const result = await run('print("before")\nraise ValueError("broken ä")');
    expect(result).toMatchObject({ status: 'error', exit_code: 1, error: expect.stringContaining('exit code 1') as string });
    expect(result.output).toMatch(/before[\s\S]*--- stderr ---[\s\S]*script\.py", line 2[\s\S]*ValueError: broken ä/);
  });

  test('what goes to standard error of a script that succeeds is left out', async () => {
    expect(await run('import sys\nprint("progress", file=sys.stderr)\nprint("result")')).toMatchObject({ status: 'success', output: 'result\n' });
  });

  test('a flood is cut to 50,000 bytes, two fifths head, and its size is told', async () => {
    const result = await run('print("H" * 100000)\nprint("é" * 100000)');
    expect(result).toMatchObject({ status: 'success', stdout_truncated: true, stdout_bytes_total: 300_002 });
    expect(Buffer.byteLength(result.output)).toBeLessThan(50_200);
    expect(result.output.startsWith('H'.repeat(20_000))).toBe(true);
    expect(result.output.endsWith(`${'é'.repeat(14_900)}\n`)).toBe(true);
  });

  test('modules of the project can be imported, and the directory is the chat\'s', async () => {
    expect((await run('import helper, os\nprint(helper.WORD, os.getcwd())')).output).toBe(`from the project ${bench.folder}\n`);
  });

  test('helpers: lenient JSON, quoting, trying again', async () => {
    const result = await run([
      'from hermes_tools import json_parse, shell_quote, retry',
      'print(json_parse("Here: ```json\\n{\\"a\\": [1, 2,],}\\n```"), json_parse("so [1] it is"), shell_quote("a b"))',
      'count = []', 'def wobbly():', '    count.append(1)', '    if len(count) < 3: raise OSError("no")', '    return len(count)', 'print(retry(wobbly, delay=0.01))',
    ].join('\n'));
    expect(result.output).toBe("{'a': [1, 2]} [1] 'a b'\n3\n");
  });

  test('the environment holds no keys of the app', async () => {
    const result = await run('import os\nprint([name for name in os.environ if "KEY" in name or "TOKEN" in name])');
    expect(result.output).toBe('[]\n');
  });

  test('JavaScript: the same tools, awaited', async () => {
    const result = await run([
      "import { read_file, terminal, json_parse } from 'hermes_tools';",
      "const { content } = await read_file({ path: 'notes.txt', raw: true });",
      "const { output } = await terminal('echo shell');",
      "console.log(content, output.trim(), json_parse('{\"a\":1,}').a, typeof require('node:fs').readFileSync);",
    ].join('\n'), { language: 'javascript' });
    expect(result).toMatchObject({ status: 'success', output: 'alpha\nbeta\n shell 1 function\n', tool_calls_made: 2 });
  });

  test.each<[Record<string, unknown>, RegExp]>([
    [{ command: 'ls' }, /takes 'code'.*terminal/], [{}, /needs 'code'/], [{ code: '  ' }, /empty/], [{ code: 'x'.repeat(1_000_001) }, /into files/], [{ code: 'x', language: 'ruby' }, /'python' or 'javascript'/],
  ])('bad arguments, case %#', async (args, words) => {
    const { fullText } = await bench.host.callTool('execute_code', args, { sessionId, signal: AbortSignal.timeout(20_000) });
    expect(JSON.parse(fullText)).toMatchObject({ status: 'error', error: expect.stringMatching(words) as string });
  });

  test('stopping the call ends the script and what it started', async () => {
    const stop = new AbortController();
    const running = run(`import subprocess, time\nsubprocess.Popen(["sleep", "987"])\nopen("${bench.folder}/up", "w").close()\ntime.sleep(600)`, {}, stop.signal);
    await expect.poll(async () => (await stat(join(bench.folder, 'up')).catch(() => undefined)) !== undefined, { timeout: 20_000 }).toBe(true);
    stop.abort(new Error('stopped by the person'));
    await running.catch((error: unknown) => { expect(String(error)).toContain('stopped'); });
    const { fullText } = await bench.host.callTool('terminal', { command: 'pgrep -fx "sleep 987" || echo none' }, { sessionId, signal: AbortSignal.timeout(20_000) });
    expect(fullText).toContain('none');
  });
});

describe('limits of time and people', () => {
  beforeAll(async () => {
    bench = await openHostBench({ yaml: 'code_execution:\n  timeout: 2\n', withoutModel: true });
    sessionId = (await bench.session()).id;
  });
  afterAll(() => bench.close());
  afterEach(async () => { for (const { id } of await bench.request('approvals.list', {})) await bench.request('approvals.decide', { id, choice: 'deny' }); });

  test('a script asks first, shows exactly what would run, and does not run when it is refused', async () => {
    const running = run('open("ran", "w").close()');
    const request = await bench.approval();
    expect(request).toMatchObject({ tool: 'execute_code', command: 'open("ran", "w").close()' });
    await bench.request('approvals.decide', { id: request.id, choice: 'deny', reason: 'not now' });
    expect(await running).toMatchObject({ status: 'error', error: expect.stringContaining('not now') as string });
    expect(await stat(join(bench.folder, 'ran')).catch(() => undefined)).toBeUndefined();
  });

  test('the time limit ends a script', async () => {
    const running = run('import time\nprint("started", flush=True)\ntime.sleep(60)');
    await bench.request('approvals.decide', { id: (await bench.approval()).id, choice: 'session' });
    expect(await running).toMatchObject({ status: 'timeout', output: 'started\n', error: expect.stringContaining('2 s') as string });
  });

  test('a dangerous command in a script asks on its own, and the time a person takes does not count', async () => {
    await writeFile(join(bench.folder, 'victim'), 'x');
    const running = run('from hermes_tools import terminal\nprint(terminal("rm -rf victim")["exit_code"])');
    const request = await bench.approval();
    expect(request).toMatchObject({ tool: 'terminal', command: 'rm -rf victim' });
    await new Promise((resolve) => { setTimeout(resolve, 2_500); }); // longer than the script's own limit: this is what is tested
    await bench.request('approvals.decide', { id: request.id, choice: 'once' });
    expect(await running).toMatchObject({ status: 'success', output: '0\n' });
  });
});

const haveBubblewrap = existsSync('/usr/bin/bwrap');
test.skipIf(!haveBubblewrap)(`behind the wall of a sandbox a script calls tools, and stays behind it${haveBubblewrap ? '' : ' (bubblewrap is not installed: apt-get install bubblewrap)'}`, async () => {
  bench = await openHostBench({ yaml: OFF, withoutModel: true });
  try {
    sessionId = (await bench.session()).id;
    await bench.request('sandbox.set', { sessionId, sandbox: { mode: 'workspace-write', network: false } });
    const result = await run(`from hermes_tools import terminal, write_file\nwrite_file("in.txt", "in")\nprint(terminal("cat in.txt")["output"].strip())\ntry:\n    open("${bench.home}/out.txt", "w")\nexcept OSError as error:\n    print(type(error).__name__)`);
    expect(result).toMatchObject({ status: 'success', output: 'in\nOSError\n', tool_calls_made: 2 });
    expect(await readFile(join(bench.folder, 'in.txt'), 'utf8')).toBe('in');
  } finally {
    await bench.close();
  }
});

describe.skipIf(!await haveSshd())('over ssh, where requests are files', () => {
  let sshd: TestSshd;
  beforeAll(async () => {
    sshd = await startSshd();
    await mkdir(join(sshd.folder, '.ssh'), { recursive: true });
    await copyFile(sshd.knownHosts, join(sshd.folder, '.ssh', 'known_hosts'));
    bench = await openHostBench({
      yaml: `${OFF}terminal:\n  cwd: ${sshd.folder}\n`, withoutModel: true,
      env: { TERMINAL_ENV: 'ssh', TERMINAL_SSH_HOST: '127.0.0.1', TERMINAL_SSH_USER: sshd.user, TERMINAL_SSH_PORT: String(sshd.port), TERMINAL_SSH_KEY: sshd.key, TERMINAL_CWD: sshd.folder, HOME: sshd.folder },
    });
    sessionId = (await bench.session()).id;
  }, 60_000);
  afterAll(async () => { await bench.close(); await sshd.close(); });

  test.each(['python', 'javascript'])('%s calls tools and prints', async (language) => {
    const code = language === 'python'
      ? 'from hermes_tools import terminal, write_file, read_file\nwrite_file("remote.txt", "there")\nprint(read_file("remote.txt", raw=True)["content"], terminal("echo $((6*7))")["output"].strip())'
      : "import { terminal, write_file, read_file } from 'hermes_tools';\nawait write_file({ path: 'remote.txt', content: 'there' });\nconsole.log((await read_file({ path: 'remote.txt', raw: true })).content, (await terminal('echo $((6*7))')).output.trim());";
    expect(await run(code, { language })).toMatchObject({ status: 'success', output: 'there 42\n', tool_calls_made: 3 });
    expect(await readFile(join(sshd.folder, 'remote.txt'), 'utf8')).toBe('there');
  });
});
