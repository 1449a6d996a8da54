import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { PluginInfo } from '../../../preload/contract/plugins.ts';
import { describeBuilt, makeCliHome, type CliHome } from '../../support/cli.ts';

let cli: CliHome;
beforeEach(async () => { cli = await makeCliHome(); });
afterEach(() => cli.close());

function write(path: string, text: string): void {
  mkdirSync(dirname(join(cli.workFolder, path)), { recursive: true });
  writeFileSync(join(cli.workFolder, path), text);
}

describeBuilt('talaria plugins', () => {
  test('installs a package without running its scripts, switches it on and off, and takes it away again', async () => {
    write('greeter/package.json', JSON.stringify({ name: 'greeter', version: '1.2.0', type: 'module', main: 'greeter.ts', keywords: ['hermes-plugin'], scripts: { postinstall: 'touch ../../../ran' } }));
    write('greeter/greeter.ts', "export function register(ctx: { registerTool(tool: object): void }): void { ctx.registerTool({ name: 'greet', toolset: 'greeting', schema: { description: 'Greets.' }, handler: () => '{\"hello\":true}' }); }");
    const list = async (args: readonly string[]): Promise<PluginInfo[]> => {
      const { stdout, stderr } = await cli.run(['plugins', ...args, '--json']);
      return stdout === '' ? expect.fail(stderr) : JSON.parse(stdout) as PluginInfo[];
    };
    expect(await list([])).toEqual([]);
    expect(await list(['install', './greeter'])).toMatchObject([{ id: 'greeter', origin: 'package', state: 'off', version: '1.2.0' }]);
    expect((await cli.run(['call', 'greet', '{}'])).code).toBe(1);
    expect(await list(['enable', 'greeter'])).toMatchObject([{ id: 'greeter', state: 'loaded', tools: ['greet'] }]);
    expect((await cli.run(['call', 'greet', '{}'])).stdout).toBe('{"hello":true}\n');
    expect((await cli.run(['plugins'])).stdout).toMatch(/✓ greeter +1\.2\.0 +loaded[\s\S]*tools greet/);
    expect(await list(['disable', 'greeter'])).toMatchObject([{ state: 'off' }]);
    expect(await list(['remove', 'greeter'])).toEqual([]);
  });

  test('says what is no plugin, no action and no package', async () => {
    for (const args of [['enable', 'nobody'], ['dance'], ['enable'], ['install', '--registry=http://example.org'], ['remove', 'nobody']]) {
      expect(await cli.run(['plugins', ...args])).toMatchObject({ code: expect.not.stringMatching('0') as unknown, stdout: '' });
    }
    expect((await cli.run(['plugins', 'enable', 'nobody'])).stderr).toContain("There is no plugin 'nobody'.");
  });
});

describeBuilt('talaria tools explain', () => {
  test('names the first step that fails and how to mend it, for a toolset and for a tool', async () => {
    mkdirSync(join(cli.home, 'tools'), { recursive: true });
    writeFileSync(join(cli.home, 'tools/dice.js'), 'export default () => undefined;');
    expect(await cli.run(['tools', 'explain', 'user-dice'])).toMatchObject({ code: 1, stdout: expect.stringMatching(/plugin-not-trusted[\s\S]*is new; nothing of it has run[\s\S]*talaria tools trust dice\.js/) as string });
    expect(await cli.run(['tools', 'explain', 'read_file'])).toMatchObject({ code: 0, stdout: expect.stringContaining('file: in the next request') as string });
    expect(await cli.run(['tools', 'explain', 'file', '--json'])).toMatchObject({ code: 0, stdout: expect.stringContaining('"toolset":"file"') as string });
    expect((await cli.run(['tools', 'explain', 'nothing'])).code).toBe(2);
  });
});
