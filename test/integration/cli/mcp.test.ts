import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { McpServerInfo } from '../../../preload/contract/mcp.ts';
import { describeBuilt, makeCliHome, type CliHome, type CliRun } from '../../support/cli.ts';
import { startOAuthServer, type OAuthServer } from '../../support/mcp/oauth-server.ts';

const FIXTURE = join(import.meta.dirname, '../../fixtures/mcp-server.mjs');

/** Each command is a process of its own, which takes its time on a busy machine. */
vi.setConfig({ testTimeout: 180_000 });

let cli: CliHome;
beforeEach(async () => { cli = await makeCliHome(); });
afterEach(() => cli.close());

async function configure(servers: object): Promise<void> {
  await mkdir(cli.home, { recursive: true });
  await writeFile(join(cli.home, 'config.yaml'), `mcp_servers: ${JSON.stringify(servers)}\n`);
}

async function listed(name: string): Promise<McpServerInfo | undefined> {
  const { stdout } = await cli.run(['mcp', '--json']);
  return (JSON.parse(stdout) as McpServerInfo[]).find((server) => server.name === name);
}

describeBuilt('talaria mcp login', () => {
  let server: OAuthServer;
  beforeEach(async () => {
    server = await startOAuthServer();
    await configure({ tracker: { url: server.url } });
  });
  afterEach(() => server.close());

  /** The page that the command asks a person to open. */
  async function pageOf(run: CliRun): Promise<string> {
    await run.shows('/authorize?');
    return /Open (\S+)\n/.exec(run.text())?.[1] ?? expect.fail(`no page in: ${run.text()}`);
  }

  test('shows the page, waits for the person, and the next commands use what was agreed to, until logout', async () => {
    const before = await cli.run(['mcp']);
    expect(before.stdout).toContain('Sign in with: talaria mcp login tracker');

    const login = cli.run(['mcp', 'login', 'tracker']);
    expect(await server.visit(await pageOf(login))).toContain('Signed in');
    const { code, stdout } = await login;
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('signed in to tracker; 1 tool') as string });
    expect(server.grants).toEqual(['authorization_code']);

    expect(await listed('tracker')).toMatchObject({ state: 'connected', signedIn: true });
    const called = await cli.run(['call', 'mcp_tracker_whoami', '{}']);
    expect([called.code, called.stdout]).toEqual([0, expect.stringContaining('a signed-in person') as string]);

    const token = server.seen.findLast((each) => each !== undefined) ?? expect.fail('no token was sent');
    const files = (await readdir(cli.home, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
    const holders = await Promise.all(files.map(async ({ parentPath, name }) => ((await readFile(join(parentPath, name))).includes(token) ? name : undefined)));
    expect(holders.filter((name) => name !== undefined && !name.includes('secret')), 'the token stands in a file that is not for secrets').toEqual([]);
    for (const run of [before, await login, called]) expect(run.stdout + run.stderr).not.toContain(token);

    expect((await cli.run(['mcp', 'logout', 'tracker'])).code).toBe(0);
    expect(await listed('tracker')).toMatchObject({ state: 'needs-sign-in', signedIn: false });
  });

  test('a refusal ends it with a failure that says so, and nothing is kept', async () => {
    const login = cli.run(['mcp', 'login', 'tracker']);
    await server.visit(await pageOf(login), 'refuse');
    const { code, stderr } = await login;
    expect(code).toBe(1);
    expect(stderr).toMatch(/sign/i);
    expect(server.grants).toEqual([]);
    expect(await listed('tracker')).toMatchObject({ signedIn: false });
  });

  test('Ctrl-C while the person is away ends it, and a name that is not set up is told', async () => {
    const terminal = cli.onTerminal(['mcp', 'login', 'tracker']);
    await terminal.shows('/authorize?');
    terminal.pty.write('\u0003');
    expect(await terminal.ended).toBe(130);
    const { code, stderr } = await cli.run(['mcp', 'login', 'nobody']);
    expect([code, stderr]).toEqual([1, expect.stringContaining("There is no MCP server 'nobody'") as string]);
  });
});

describeBuilt('a form of an MCP server on a terminal', () => {
  beforeEach(async () => {
    const file = join(cli.workFolder, 'tools.json');
    await writeFile(file, JSON.stringify([{ name: 'order', inputSchema: { type: 'object', properties: {} } }]));
    await configure({ shop: { command: process.execPath, args: [FIXTURE, file] } });
  });

  test('is filled in field by field, refused with the reason where a value does not fit, and sent', async () => {
    const terminal = cli.onTerminal(['call', 'mcp_shop_order', '{}']);
    await terminal.shows('MCP server shop asks');
    await terminal.shows('Address *: ');
    terminal.pty.write('nowhere\r');
    await terminal.shows('Size [small]: ');
    expect(terminal.text()).toContain('2. large');
    terminal.pty.write('\r');
    await terminal.shows('As a gift (y/n) [false]: ');
    terminal.pty.write('\r');
    await terminal.shows('has to be an e-mail address');
    await terminal.showsTimes('Address *: ', 2);
    terminal.pty.write('ada@example.org\r');
    await terminal.showsTimes('Size [small]: ', 2);
    terminal.pty.write('2\r');
    await terminal.showsTimes('As a gift (y/n) [false]: ', 2);
    terminal.pty.write('y\r');
    expect(await terminal.ended).toBe(0);
    expect(terminal.text().replaceAll('\\"', '"')).toContain('{"action":"accept","content":{"email":"ada@example.org","size":"large","gift":true}}');
  });

  test.each([['/no', 'decline'], ['/cancel', 'cancel']])('%s is told to the server as %s', async (typed, action) => {
    const terminal = cli.onTerminal(['call', 'mcp_shop_order', '{}']);
    await terminal.shows('Address *: ');
    terminal.pty.write(`${typed}\r`);
    expect(await terminal.ended).toBe(0);
    expect(terminal.text().replaceAll('\\"', '"')).toContain(`{"action":"${action}"}`);
  });

  test('is put away where there is no terminal to ask on', async () => {
    const { code, stdout } = await cli.run(['call', 'mcp_shop_order', '{}']);
    expect([code, stdout.replaceAll('\\"', '"')]).toEqual([0, expect.stringContaining('{"action":"cancel"}') as string]);
  });
});
