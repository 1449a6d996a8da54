import { expect, test } from 'vitest';
import { CLASSIC_TOOLS } from '../../support/classic-table.ts';
import { describeBuilt, makeCliHome } from '../../support/cli.ts';

interface Listed { readonly name: string; readonly toolset: string; readonly available: boolean; readonly description: string; readonly parameters: { readonly type: string; readonly properties?: object }; readonly reason?: string; readonly fix?: string }

describeBuilt('talaria tools --json', () => {
  test('lists every classic tool in its toolset, with its schema, and says of each that is not available why and what to do', async () => {
    const cli = await makeCliHome();
    try {
      const { code, stdout } = await cli.run(['tools', '--json'], { env: { PATH: '/nowhere' } });
      const tools = new Map((JSON.parse(stdout) as readonly Listed[]).map((tool) => [tool.name, tool]));
      expect(code).toBe(0);
      for (const [toolset, names] of Object.entries(CLASSIC_TOOLS)) {
        expect(names.map((name) => [name, tools.get(name)?.toolset])).toEqual(names.map((name) => [name, toolset]));
        for (const name of names) expect(tools.get(name)).toMatchObject({ description: expect.stringMatching(/\S/) as string, available: expect.any(Boolean) as boolean, parameters: { type: 'object', properties: expect.any(Object) as object } });
      }
      const missing = [...tools.values()].filter(({ available }) => !available);
      expect(missing.map(({ name }) => name)).toEqual(expect.arrayContaining(['browser_navigate', 'ha_get_state', 'image_generate', 'rl_start_training', 'text_to_speech']));
      for (const tool of missing) expect(tool).toMatchObject({ reason: expect.stringMatching(/\S/) as string, fix: expect.stringMatching(/\S/) as string });
    } finally {
      await cli.close();
    }
  });
});
