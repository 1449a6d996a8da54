/** Scripts that mean harm, or go wrong badly: the call ends with one result, the host lives, nothing of the script stays. */
import { copyFile, mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SessionId } from '../../../preload/contract/index.ts';
import { haveSshd, startSshd, type TestSshd } from '../../support/sshd.ts';
import { openHostBench, type HostBench } from '../../support/test-host.ts';

interface Result { readonly status: string; readonly output: string; readonly tool_calls_made: number; readonly error?: string; readonly exit_code?: number; readonly stdout_truncated?: boolean; readonly stdout_bytes_total?: number }

let bench: HostBench;
let sessionId: SessionId;
const SETTINGS = 'approvals:\n  mode: off\ncode_execution:\n  timeout: 20\n  max_tool_calls: 5\n';
/** Value of a variable that no script may see. */
const CANARY = 'canary-7f3a9b1c2d4e5f60';

async function run(code: string, more: Record<string, unknown> = {}): Promise<Result> {
  const { fullText } = await bench.host.callTool('execute_code', { code, ...more }, { sessionId, signal: AbortSignal.timeout(60_000) });
  return JSON.parse(fullText) as Result;
}
const terminal = async (command: string): Promise<string> => (JSON.parse((await bench.host.callTool('terminal', { command }, { sessionId, signal: AbortSignal.timeout(30_000) })).fullText) as { output: string }).output;
const folders = async (): Promise<string[]> => (await readdir(process.env['TMPDIR'] ?? tmpdir())).filter((name) => name.startsWith('talaria-script-'));
const lines = (...code: string[]): string => code.join('\n');
/** A connection of the script's own to the runtime. */
const LINK = lines('import hermes_tools, socket, json', 'def link():', '    made = socket.socket(socket.AF_UNIX)', '    made.connect(hermes_tools._SOCKET)', '    return made', 'def ask(data):', '    with link() as made:', '        made.sendall(data)', '        return made.makefile("rb").readline().decode()');

describe('on this machine', () => {
  beforeAll(async () => {
    bench = await openHostBench({ yaml: SETTINGS, withoutModel: true, env: { OPENAI_API_KEY: CANARY, HASS_TOKEN: CANARY, TELEGRAM_BOT_TOKEN: CANARY, GH_TOKEN: CANARY } });
    sessionId = (await bench.session()).id;
  });
  afterAll(async () => {
    expect(await folders()).toEqual([]);
    expect((await bench.request('host.info', {})).shell).toBe('test');
    await bench.close();
  });

  test('what a script starts ends with it, also in a session of its own', async () => {
    const result = await run(lines(
      'import os, subprocess, time', 'for n in range(20): subprocess.Popen(["sleep", "9871"])',
      'if os.fork() == 0:', '    os.setsid()', '    if os.fork() == 0:', '        os.execvp("sleep", ["sleep", "9872"])', '    os._exit(0)', 'print("done", flush=True)',
    ));
    expect(result).toMatchObject({ status: 'success', output: 'done\n', exit_code: 0 });
    await expect.poll(() => terminal('pgrep -fx "sleep 987[12]" | wc -l')).toBe('0');
  });

  test('a flood of 10 MB is cut to both its ends, and its size is told', async () => {
    const result = await run('import sys\nprint("first")\nfor n in range(100): sys.stdout.write("x" * 99999 + "\\n")\nprint("last")');
    expect(result).toMatchObject({ status: 'success', stdout_truncated: true });
    expect(result.stdout_bytes_total).toBeGreaterThanOrEqual(10_000_000);
    expect(Buffer.byteLength(result.output)).toBeLessThan(50_200);
    expect(result.output.slice(0, 6) + result.output.slice(-5)).toBe('first\nlast\n');
  });

  test('garbage, half requests and silence on the line are refused one by one; real calls go on', async () => {
    const result = await run(lines(
      LINK, 'silent = [link() for n in range(20)]', 'half = link(); half.sendall(b"{\\"token\\":")',
      'for data in (b"\\n", b"\\x00\\xff\\xfe\\n", b"[]\\n", b"null\\n", b"{}\\n", b"[" * 100000 + b"\\n", json.dumps({"token": hermes_tools._TOKEN, "tool": "constructor", "args": {}}).encode() + b"\\n", json.dumps({"token": hermes_tools._TOKEN, "tool": "terminal", "args": []}).encode() + b"\\n"):',
      '    print(json.loads(json.loads(ask(data)))["error"][:26])',
      'print(hermes_tools.terminal("echo alive")["output"].strip())',
    ));
    expect(result).toMatchObject({ status: 'success', tool_calls_made: 1 });
    expect(result.output.split('\n')).toEqual([...Array<string>(6).fill('This request is not one of'), "Scripts cannot call 'const", 'The arguments of terminal ', 'alive', '']);
  });

  test('a call of more than 20 MB, and connections without end, are told why they are refused', async () => {
    const result = await run(lines(
      LINK, 'print(hermes_tools.write_file("big.txt", "x" * (21 * 1024 * 1024))["error"])',
      'many = [link() for n in range(140)]', 'print(json.loads(json.loads(many[-1].makefile("rb").readline()))["error"])', 'for each in many: each.close()',
      'import time', 'print(hermes_tools.retry(lambda: hermes_tools.terminal("echo alive")["output"].strip(), attempts=5, delay=0.1))',
    ));
    expect(result).toMatchObject({ status: 'success', tool_calls_made: 1, output: expect.stringMatching(/more than 20 MB\. Write large data into a file[\s\S]*Too many calls at once[\s\S]*alive\n$/) as string });
  });

  test('a script that ends in the middle of its calls leaves none running', async () => {
    const result = await run(lines(
      'import os, threading, time', 'from hermes_tools import terminal', 'for n in range(4): threading.Thread(target=terminal, args=("sleep 9873",)).start()',
      'while os.popen("pgrep -fx \'sleep 9873\' | wc -l").read().strip() != "4": time.sleep(0.05)', 'os._exit(7)',
    ));
    expect(result).toMatchObject({ status: 'error', exit_code: 7, tool_calls_made: 4 });
    await expect.poll(() => terminal('pgrep -fx "sleep 9873" | wc -l')).toBe('0');
  });

  test('tools that a script may not call stay shut whatever name it gives, and the limit counts every call that was let through', async () => {
    const result = await run(lines(
      'import hermes_tools', 'for name in ("memory", "delegate_task", "execute_code", "send_message", "cronjob", "browser_navigate", "Terminal", "terminal ", "__proto__"):',
      '    print(hermes_tools._call(name, {"command": "true", "code": "1"})["error"][:19])', 'for n in range(6): last = hermes_tools.terminal("true")', 'print(last["error"][:28])',
    ));
    expect(result).toMatchObject({ status: 'success', tool_calls_made: 5, output: `${'Scripts cannot call\n'.repeat(9)}Tool call limit reached (5). \n`.replace('. \n', '.\n') });
  });

  test('links in place of the line and of the folder lead nowhere: what they point at stays as it is', async () => {
    const treasure = join(bench.folder, 'treasure');
    await mkdir(treasure);
    await writeFile(join(treasure, 'line'), 'keep me');
    const result = await run(lines(
      'import hermes_tools, os', 'folder, line = hermes_tools._FOLDER, hermes_tools._SOCKET', 'os.rename(line, line + ".moved")', `os.symlink(${JSON.stringify(join(treasure, 'line'))}, line)`,
      'try:', '    hermes_tools.terminal("true")', 'except OSError as error:', '    print("no line:", type(error).__name__)', 'os.rename(folder, folder + "-moved")', `os.symlink(${JSON.stringify(treasure)}, folder)`,
    ));
    expect(result.output).toMatch(/^no line: /);
    expect(await terminal(`cat ${treasure}/line`)).toBe('keep me');
    await Promise.all((await folders()).map((name) => rm(join(process.env['TMPDIR'] ?? tmpdir(), name), { recursive: true, force: true })));
  });

  test('the environment, and files of the app, give a script no key', async () => {
    const code = 'import os\nprint(sorted(name for name, value in os.environ.items() if "canary" in value))\nprint(open("/proc/%d/environ" % os.getppid(), "rb").read().count(b"canary"))';
    expect((await run(code)).output).toBe('[]\n0\n');
    expect((await run("console.log(Object.values(process.env).filter((value) => value.includes('canary')).length)", { language: 'javascript' })).output).toBe('0\n');
  });

  test('in strict mode a script works in a folder of its own, without the project\'s modules', async () => {
    await writeFile(join(bench.folder, 'helper.py'), 'WORD = "from the project"\n');
    await mkdir(join(bench.folder, '.venv/bin'), { recursive: true });
    await symlink('/bin/false', join(bench.folder, '.venv/bin/python'));
    const code = lines('import os', 'print(os.getcwd() == __import__("hermes_tools")._FOLDER)', 'try:', '    import helper', 'except ImportError:', '    print("no helper")', 'from hermes_tools import terminal', 'print(terminal("pwd")["output"].strip())');
    const settings = join(bench.home, 'config.yaml');
    expect(await run(code)).toMatchObject({ status: 'error', exit_code: 1, output: '' }); // the project's own interpreter
    await writeFile(settings, `${SETTINGS}  mode: strict\n`);
    await expect.poll(async () => (await run(code)).output).toBe(`True\nno helper\n${bench.folder}\n`);
  });
});

describe.skipIf(!await haveSshd())('over ssh, where requests are files', () => {
  let sshd: TestSshd;
  beforeAll(async () => {
    sshd = await startSshd();
    await mkdir(join(sshd.folder, '.ssh'), { recursive: true });
    await copyFile(sshd.knownHosts, join(sshd.folder, '.ssh', 'known_hosts'));
    bench = await openHostBench({
      yaml: `${SETTINGS}terminal:\n  cwd: ${sshd.folder}\n`, withoutModel: true,
      env: { TERMINAL_ENV: 'ssh', TERMINAL_SSH_HOST: '127.0.0.1', TERMINAL_SSH_USER: sshd.user, TERMINAL_SSH_PORT: String(sshd.port), TERMINAL_SSH_KEY: sshd.key, TERMINAL_CWD: sshd.folder, HOME: sshd.folder },
    });
    sessionId = (await bench.session()).id;
  }, 60_000);
  afterAll(async () => { await bench.close(); await sshd.close(); });

  test('directories, pipes, links, floods and too much in place of requests stop neither the script\'s own calls nor its end', async () => {
    const result = await run(lines(
      'import hermes_tools, os', 'at = lambda name: os.path.join(hermes_tools._FOLDER, name)', 'os.mkdir(at("1-1.request"))', 'os.mkfifo(at("1-2.request"))', 'os.symlink("/etc/passwd", at("1-3.request"))', 'os.symlink("/nowhere", at("1-4.request"))',
      'for n in range(60): open(at("2-%d.request" % n), "w").write("garbage")', 'open(at("x\\ny.request"), "w").write("{}")',
      'print(hermes_tools.write_file("big.txt", "x" * (21 * 1024 * 1024))["error"][:40])', 'print(hermes_tools.terminal("echo alive")["output"].strip())', 'print(hermes_tools._call("memory", {})["error"][:26])',
    ));
    expect(result).toMatchObject({ status: 'success', tool_calls_made: 1, output: "This call carries more than 20 MB. Write\nalive\nScripts cannot call 'memor\n" });
  });
});
