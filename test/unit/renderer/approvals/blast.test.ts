import { expect, test } from 'vitest';
import { BlastRadius } from '../../../../preload/contract/approvals.ts';
import { blastFacts } from '../../../../renderer/features/approvals/blast-words.ts';
import { arm, emptyApprovals, withList, withRequest } from '../../../../renderer/features/approvals/model.ts';
import { approvalRequest } from './fixtures.ts';

const known = BlastRadius.parse({
  state: 'known', paths: ['/srv/app/build'], count: 41, bytes: 2_400_000, outside: 0, workspace: '/srv/app', untracked: 0, dirty: 0, mounts: [], hosts: [], privilege: null,
});
const words = (change: Partial<BlastRadius>) => blastFacts({ ...known, ...change }).map((fact) => fact.words);
const warned = (change: Partial<BlastRadius>) => blastFacts({ ...known, ...change }).filter((fact) => fact.warns).map((fact) => fact.words);

test('what is harmless is said without a warning: how much, where, and that git has it', () => {
  expect(words({})).toEqual(['41 files and directories, 2.4 MB', 'inside the workspace', 'all in git, nothing uncommitted']);
  expect(warned({})).toEqual([]);
});

test('what leaves the workspace, is not in git, mounted, remote or privileged is warned about', () => {
  expect(warned({ outside: 2, untracked: 3, dirty: 1, mounts: ['/mnt/backup'], hosts: ['a.example', 'b.example'], privilege: 'root' })).toEqual([
    'with the rights of root', 'hosts a.example, b.example', 'mount point /mnt/backup', '2 outside the workspace', '1 with uncommitted changes', '3 not in git',
  ]);
});

test('what was not found out is called unknown, never nothing', () => {
  expect(warned({ state: 'unknown', why: 'it could not be looked at within 150 ms', paths: [], count: null, bytes: null, outside: null }))
    .toEqual(['which files: unknown (it could not be looked at within 150 ms)']);
  expect(words({ count: null, bytes: null, why: 'too much to count in time' })[0]).toBe('how many files: unknown (too much to count in time)');
  expect(words({ outside: null })).toContain('inside or outside the workspace: unknown');
  expect(words({ untracked: null, dirty: null })).toContain('git state unknown');
});

test('it comes to a card that is there without arming, announcing or moving anything', () => {
  const request = approvalRequest('first');
  const listed = { ...withList(emptyApprovals, [request, approvalRequest('second')]), announcement: 'before' };
  const later = withRequest(listed, { ...request, blast: known });
  expect(later.byId.get(request.id)?.blast).toEqual(known);
  expect(later).toMatchObject({ armed: undefined, announcement: 'before', queue: listed.queue });
  const alone = arm(withList(emptyApprovals, [request]), undefined);
  expect(withRequest(alone, { ...request, blast: known }).armed).toBeUndefined();
  expect(withRequest(withList(emptyApprovals, [request]), { ...request, blast: known }).armed).toBe(request.id);
});
