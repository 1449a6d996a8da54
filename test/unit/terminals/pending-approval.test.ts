import { afterEach, beforeEach, expect, test } from 'vitest';
import { runTerminalTool } from '../../../tools/terminal/handler.ts';
import { openToolBench, type ToolBench } from '../../support/tool-context.ts';

let bench: ToolBench;
beforeEach(async () => { bench = await openToolBench(); });
afterEach(() => bench.close());

test('a command that nobody could be asked about yet is answered in Hermes\' shape, without secrets, and does not run', async () => {
  bench.answer = { approved: false, approval_pending: true, allow_permanent: true, description: 'recursive delete', pattern_key: 'recursive delete', message: 'PENDING: STOP here.' };
  expect(JSON.parse(await runTerminalTool({ command: 'rm -rf build sk-secretsecretsecretsecret' }, bench.context()))).toEqual({
    output: '', exit_code: -1, error: '', status: 'pending_approval', approval_pending: true, command: 'rm -rf build [hidden]', description: 'recursive delete', pattern_key: 'recursive delete',
    smart_denied: false, allow_permanent: true, message: 'PENDING: STOP here.',
  });
});
