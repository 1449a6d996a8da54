import { expect, test } from 'vitest';
import type { ToolsetInfo } from '../../../preload/contract/index.ts';
import { runWith, testCliHost, testStreams } from '../../support/cli-host.ts';

const toolset = (name: string, reason: ToolsetInfo['reason']): ToolsetInfo => ({
  name, description: '', tools: [], enabled: true, enabledByDefault: true, inChat: null, available: reason === null, reason, checkedAt: 1, tokens: 0, uses30d: 0,
});

test.each([
  ['broken.ts', 'user-broken', true], ['folder/tool.ts', 'user-folder', true], ['dice.ts', 'user-other', false],
])('a file that is trusted and cannot be used is told with the reason: %s', async (name, shown, told) => {
  const host = testCliHost({
    'toolsets.trust': () => [toolset(shown, { step: 'check-failed', message: 'broken.ts could not be loaded', fix: 'Mend the file.' })],
  });
  const streams = testStreams({ interactive: false });
  expect(await runWith(host, streams, 'tools', 'trust', name)).toBe(0);
  expect(streams.out()).toContain(`${name} is trusted as it is now.`);
  expect(streams.err()).toBe(told ? '! broken.ts could not be loaded\n  Mend the file.\n' : '');
});
