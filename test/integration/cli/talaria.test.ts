import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { describeBuilt, makeCliHome, type CliHome } from '../../support/cli.ts';
import { startModelServer, type ModelServer } from '../../support/model/server.ts';

let cli: CliHome;
let model: ModelServer | undefined;
beforeEach(async () => { cli = await makeCliHome(); });
afterEach(async () => {
  await model?.close();
  model = undefined;
  await cli.close();
});

async function startModel(options: Parameters<typeof startModelServer>[0]): Promise<readonly string[]> {
  model = await startModelServer(options);
  return ['--base-url', model.baseUrl, '--model', 'scripted-model'];
}

/** A folder that a dangerous command would delete. */
function victim(): string {
  const folder = join(cli.workFolder, 'data');
  mkdirSync(folder);
  writeFileSync(join(folder, 'file'), 'x');
  return folder;
}
const deletion = (folder: string): string => JSON.stringify({ command: `rm -rf ${folder}` });

describeBuilt('talaria on a machine', () => {
  test('lists its tools with their schemas', async () => {
    const { code, stdout } = await cli.run(['tools', '--json']);
    const tools = JSON.parse(stdout) as { name: string; toolset: string; available: boolean; parameters: object }[];
    expect(code).toBe(0);
    expect(tools.map((tool) => tool.name)).toEqual(expect.arrayContaining(['clarify', 'memory', 'patch', 'process', 'read_file', 'search_files', 'session_search', 'terminal', 'todo', 'write_file']));
    for (const tool of tools) expect(tool).toMatchObject({ toolset: expect.any(String), available: expect.any(Boolean), parameters: { type: 'object' } });
  });

  test('keeps everything of its own under --home', async () => {
    const elsewhere = join(cli.workFolder, 'elsewhere');
    expect((await cli.run(['sessions', '--json', '--home', elsewhere])).stdout).toBe('[]\n');
    expect({ elsewhere: existsSync(join(elsewhere, 'desktop')), usual: existsSync(cli.home) }).toEqual({ elsewhere: true, usual: false });
  });

  test('answers a thousand commands on stdin in order', async () => {
    const commands = Array.from({ length: 1_000 }, (_, index) => (index % 2 === 0 ? `echo ${index}` : `rm -rf /${index}`));
    const { code, stdout } = await cli.run(['check', '--stdin'], { input: commands.map((command) => JSON.stringify(command)).join('\n') });
    const verdicts = stdout.trimEnd().split('\n').map((line) => (JSON.parse(line) as { verdict: string }).verdict);
    expect(code).toBe(0);
    expect(verdicts).toHaveLength(1_000);
    expect(verdicts.every((verdict, index) => (verdict === 'allow') === (index % 2 === 0))).toBe(true);
  });

  test('shares a chat between calls by its name', async () => {
    expect((await cli.run(['call', 'terminal', '{"command":"cd /tmp"}', '--session', 'job-1'])).code).toBe(0);
    const { stdout } = await cli.run(['call', 'terminal', '{"command":"pwd"}', '--session', 'job-1']);
    expect(JSON.parse(stdout)).toMatchObject({ output: '/tmp', exit_code: 0 });
    expect(JSON.parse((await cli.run(['sessions', '--json'])).stdout)).toMatchObject([{ id: 'job-1' }]);
    expect((await cli.run(['call', 'terminal', '{"command":"true"}'])).code).toBe(0);
    expect(JSON.parse((await cli.run(['sessions', '--json'])).stdout)).toMatchObject([{ id: 'job-1' }]);
  });

  test('refuses a dangerous command when nobody can be asked, and runs it with --approve once', async () => {
    const folder = victim();
    const refused = await cli.run(['call', 'terminal', deletion(folder)]);
    expect({ code: refused.code, there: existsSync(folder) }).toEqual({ code: 1, there: true });
    const denied = await cli.run(['call', 'terminal', deletion(folder), '--approve', 'deny']);
    expect({ code: denied.code, there: existsSync(folder) }).toEqual({ code: 1, there: true });
    const approved = await cli.run(['call', 'terminal', deletion(folder), '--approve', 'once']);
    expect({ code: approved.code, there: existsSync(folder) }).toEqual({ code: 0, there: false });
  });

  test('keeps the allowlist in config.yaml', async () => {
    await cli.run(['allowlist', 'add', 'recursive delete']);
    expect(JSON.parse((await cli.run(['allowlist', 'list', '--json'])).stdout)).toMatchObject([{ entry: 'recursive delete' }]);
    expect(JSON.parse((await cli.run(['check', 'rm -rf data', '--json'])).stdout)).toMatchObject({ verdict: 'allow' });
    await cli.run(['allowlist', 'remove', 'recursive delete']);
    expect(JSON.parse((await cli.run(['check', 'rm -rf data', '--json'])).stdout)).toMatchObject({ verdict: 'ask' });
  });

  test('says what works here and how to mend the rest', async () => {
    const { stdout } = await cli.run(['doctor', '--json']);
    const lines = JSON.parse(stdout) as { name: string; state: string; message: string }[];
    expect(lines.length).toBeGreaterThan(3);
    for (const line of lines) expect(line).toMatchObject({ name: expect.any(String), state: expect.stringMatching(/^(ok|off|warn|fail)$/), message: expect.stringMatching(/./) });
  });

  test('is used wrongly: exit code 2', async () => {
    expect((await cli.run(['frobnicate'])).code).toBe(2);
  });
});

describeBuilt('talaria run', () => {
  test('two parallel reads and a command end in the right text', async () => {
    writeFileSync(join(cli.workFolder, 'a.txt'), 'alpha\n');
    writeFileSync(join(cli.workFolder, 'b.txt'), 'beta\n');
    const args = await startModel({ script: [
      { calls: [{ name: 'read_file', arguments: { path: 'a.txt' } }, { name: 'read_file', arguments: { path: 'b.txt' } }], mixed: true, split: 'units' },
      { calls: [{ name: 'terminal', arguments: { command: 'cat a.txt b.txt' } }] },
      { text: 'alpha and beta' },
    ] });
    const { code, stdout } = await cli.run(['run', 'what is in them?', '--json', ...args]);
    const events = stdout.trimEnd().split('\n').map((line) => JSON.parse(line) as { type: string });
    expect(code).toBe(0);
    expect(events.at(-1)).toMatchObject({
      type: 'result', text: 'alpha and beta', usage: { requests: 3 },
      toolCalls: [{ name: 'read_file', state: 'done' }, { name: 'read_file', state: 'done' }, { name: 'terminal', state: 'done', exitCode: 0, result: expect.stringContaining('alpha\\nbeta') }],
    });
    const [, second, third] = model?.requests ?? [];
    expect(second?.body.messages.filter((message) => message.role === 'tool')).toHaveLength(2);
    expect(third?.body.messages.filter((message) => message.role === 'tool')).toHaveLength(3);
  });

  test('prints the text alone on stdout', async () => {
    const { code, stdout } = await cli.run(['run', 'hi', ...await startModel({ script: [{ text: 'Hello there' }] })]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Hello there\n' });
  });

  test('without a model says so and how to connect one: exit code 1', async () => {
    const { code, stderr } = await cli.run(['run', 'hi', '--base-url', 'http://127.0.0.1:9/v1', '--model', 'm']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/127\.0\.0\.1:9/);
  });

  test.each(['SIGINT', 'SIGTERM'] as const)('%s stops the request and ends with 130', async (signal) => {
    const args = await startModel({ script: [{ steps: [{ text: 'thinking' }, { gate: 'never' }] }] });
    const running = cli.run(['run', 'hi', ...args]);
    await running.shows('thinking');
    running.kill(signal);
    expect((await running).code).toBe(130);
  });

  test.each([['deny', true], ['off', false]] as const)('--approvals %s', async (rule, stays) => {
    const folder = victim();
    const args = await startModel({ script: [{ calls: [{ name: 'terminal', arguments: { command: `rm -rf ${folder}` } }] }, { text: 'done' }] });
    expect((await cli.run(['run', 'clean up', '--approvals', rule, ...args])).code).toBe(0);
    expect(existsSync(folder)).toBe(stays);
  });

  test('--toolsets decides what the model is offered', async () => {
    const args = await startModel({ script: [{ text: 'ok' }] });
    await cli.run(['run', 'hi', '--toolsets', 'todo', ...args]);
    expect(model?.requests[0]?.body.tools?.map((tool) => tool.function.name)).toEqual(['todo']);
  });
});

describeBuilt('talaria on a terminal', () => {
  test('asks for consent and runs what was approved', async () => {
    const folder = victim();
    const terminal = cli.onTerminal(['call', 'terminal', deletion(folder)]);
    await terminal.shows('[o]nce');
    expect(terminal.text()).toContain('rm -rf');
    /** The key is repeated until it is taken: presses before the question is armed do not count, whenever that is. */
    const press = setInterval(() => { terminal.pty.write('o'); }, 50);
    expect(await terminal.ended).toBe(0);
    clearInterval(press);
    expect(existsSync(folder)).toBe(false);
  });

  test('does not take keys typed ahead for consent', async () => {
    const folder = victim();
    const terminal = cli.onTerminal(['call', 'terminal', deletion(folder)]);
    terminal.pty.write('ooo\rooo');
    await terminal.shows('[o]nce');
    const press = setInterval(() => { terminal.pty.write('d'); }, 50);
    expect(await terminal.ended).toBe(1);
    clearInterval(press);
    expect(existsSync(folder)).toBe(true);
  });

  test('Ctrl-C at the question denies and ends with 130', async () => {
    const folder = victim();
    const terminal = cli.onTerminal(['call', 'terminal', deletion(folder)]);
    await terminal.shows('[o]nce');
    terminal.pty.write('\u0003');
    expect(await terminal.ended).toBe(130);
    expect(existsSync(folder)).toBe(true);
  });

  test('chat answers, runs !commands and leaves with /exit', async () => {
    const args = await startModel({ script: [{ text: 'Hello there' }] });
    const terminal = cli.onTerminal(['chat', ...args]);
    await terminal.shows('› ');
    terminal.pty.write('hi\r');
    await terminal.shows('Hello there');
    terminal.pty.write('!echo $((6*7))\r');
    await terminal.shows('exit code 0');
    terminal.pty.write('/exit\r');
    expect(await terminal.ended).toBe(0);
  });
});
