import { expect, test } from 'vitest';
import type { CredentialRequest } from '../../../../preload/contract/index.ts';
import { CredentialId } from '../../../../preload/contract/ids.ts';
import { fieldWords, noCredentials, secondsLeft, withoutRequest, withRequest, withRequests } from '../../../../renderer/features/credentials/model.ts';

const request = (letter: string, change: Partial<CredentialRequest> = {}): CredentialRequest => ({
  id: CredentialId.parse(`crd_${letter.repeat(16)}`), sessionId: null, kind: 'secret', purpose: 'sudo', host: 'me@box', title: 'sudo', detail: '', fingerprint: null, problem: null, createdAt: 1_000, expiresAt: 46_000, ...change,
});

test('requests stand in the order in which they were asked, each once, and go when they are settled', () => {
  const [first, second] = [request('a'), request('b', { createdAt: 2_000 })];
  const both = withRequest(withRequest(noCredentials, second), first);
  expect(both.open).toEqual([first, second]);
  expect(withRequest(both, { ...first, problem: 'again' }).open).toEqual([{ ...first, problem: 'again' }, second]);
  expect(withoutRequest(both, first.id).open).toEqual([second]);
  expect(withoutRequest(noCredentials, first.id)).toBe(noCredentials);
  expect(withRequests([second, first]).open).toEqual([first, second]);
});

test('the time that is left is told in whole seconds, never below none', () => {
  expect([1_000, 45_999, 46_000, 90_000].map((now) => secondsLeft(request('a'), now))).toEqual([45, 1, 0, 0]);
});

test.each(['sudo', 'ssh-password', 'ssh-passphrase', 'ssh-question', 'ssh-host-key'] as const)('%s has words for its field and its button', (purpose) => {
  const { label, send } = fieldWords(request('a', { purpose }));
  expect([label, send].every((words) => words.length > 2)).toBe(true);
});
