import { expect, test } from 'vitest';
import { Settings } from '../../../../preload/contract/settings.ts';
import { withChange } from '../../../../renderer/features/settings/model.ts';

const settings = Settings.parse({
  approvals: { mode: 'manual', timeoutSeconds: 300, deny: ['shutdown *'] }, terminal: { backend: 'local', cwd: '/srv', timeoutSeconds: 180, sandbox: 'off', sandboxNetwork: true }, terminalView: { fontSize: 13, screenReader: false, followNewest: true },
  maxIterations: 90, model: { vision: 'auto' }, redactSecrets: true, theme: 'system', problem: null,
});

test('a change is drawn before the host has answered, and touches nothing else', () => {
  expect(withChange(settings, { approvalsMode: 'off' })).toEqual({ ...settings, approvals: { ...settings.approvals, mode: 'off' } });
  expect(withChange(settings, { terminalTimeoutSeconds: 5 })).toEqual({ ...settings, terminal: { ...settings.terminal, timeoutSeconds: 5 } });
  expect(withChange(settings, { theme: 'dark', maxIterations: 3, approvalsTimeoutSeconds: 9 })).toEqual({
    ...settings, theme: 'dark', maxIterations: 3, approvals: { ...settings.approvals, timeoutSeconds: 9 },
  });
  expect(withChange(settings, {})).toEqual(settings);
});
