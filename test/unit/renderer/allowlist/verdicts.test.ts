import { expect, test } from 'vitest';
import { sameVerdicts } from '../../../../renderer/features/allowlist/backend-verdicts.tsx';

test('backends that decide alike for the same reason stand in one line', () => {
  expect(sameVerdicts([
    { backend: 'local', verdict: 'ask' }, { backend: 'docker', verdict: 'allow', rule: 'in a sandbox' }, { backend: 'ssh', verdict: 'ask' },
    { backend: 'modal', verdict: 'allow', rule: 'in a sandbox' }, { backend: 'daytona', verdict: 'allow', rule: 'a rule of yours' },
  ])).toEqual([
    { backends: ['local', 'ssh'], verdict: 'ask', rule: undefined }, { backends: ['docker', 'modal'], verdict: 'allow', rule: 'in a sandbox' },
    { backends: ['daytona'], verdict: 'allow', rule: 'a rule of yours' },
  ]);
});
