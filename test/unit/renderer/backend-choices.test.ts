import { expect, test } from 'vitest';
import { backendChoices } from '../../../renderer/features/sandbox/backend-choices.ts';

const backend = (name: string, more: { readonly chosen?: boolean; readonly why?: string } = {}) => ({
  name, chosen: more.chosen === true, isolated: false, keys: [], cost: null, idleSeconds: null, places: [], reason: more.why === undefined ? null : { message: more.why },
});

test('the usable ones come first, the present one is marked, the others say why not', () => {
  expect(backendChoices([backend('local', { chosen: true }), backend('docker', { why: 'No engine answers.' }), backend('ssh')], 'ssh')).toEqual([
    { label: 'local', hint: 'as set for new chats', disabled: false, value: null },
    { label: '✓ ssh', disabled: false, value: 'ssh' },
    { label: 'docker', hint: 'No engine answers.', disabled: true, value: 'docker' },
  ]);
});
