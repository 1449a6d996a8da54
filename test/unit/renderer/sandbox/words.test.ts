import { expect, test } from 'vitest';
import { sandboxHint, sandboxName } from '../../../../renderer/features/sandbox/words.ts';

test('a sandbox is named by what it lets through', () => {
  expect(sandboxName('off', false)).toBe('No sandbox');
  expect(sandboxName('workspace-write', true)).toBe('Writes only in its folder');
  expect(sandboxName('read-only', false)).toBe('Read-only, no network');
});

test('the hint says where the choice comes from, and what is missing only when it matters', () => {
  expect(sandboxHint({ mode: 'off', network: true, own: false, problem: 'no bwrap' })).toBe('Commands of this chat may write wherever you may (as set for all chats).');
  expect(sandboxHint({ mode: 'read-only', network: true, own: true, problem: 'Install it.' })).toMatch(/^Read-only: .*You are asked as before \(chosen for this chat\)\. Install it\.$/);
});
