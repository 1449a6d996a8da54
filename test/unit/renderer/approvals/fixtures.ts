import { RulePreview } from '../../../../preload/contract/approval-rules.ts';
import { ApprovalRequest } from '../../../../preload/contract/approvals.ts';
import { ApprovalId } from '../../../../preload/contract/ids.ts';
import { emptyAlwaysForm } from '../../../../renderer/features/approvals/always-form.ts';
import type { AlwaysForm } from '../../../../renderer/features/approvals/always-form.ts';

/** `apr_…` with a readable tail. */
export function approvalId(name: string): ApprovalId {
  return ApprovalId.parse(`apr_${name.toLowerCase().replace(/[^0-9a-z]/g, '').padStart(16, '0')}`);
}

type Change = Partial<Omit<ApprovalRequest, 'id' | 'sessionId'>>;

/** A request as the host sends it, checked by the contract's own schema. */
export function approvalRequest(name: string, change: Change = {}): ApprovalRequest {
  const command = change.command ?? 'rm -rf build';
  return ApprovalRequest.parse({
    id: approvalId(name), sessionId: 'ses_000000000000', sessionTitle: 'Clean the project', tool: 'terminal', command, cwd: '/srv/app', backend: 'local',
    host: 'workstation', user: 'ada', reason: 'recursive delete',
    review: {
      verdict: 'ask',
      findings: [{ key: 'recursive delete', description: 'recursive delete', class: 'delete', effect: 'deletes /srv/app/build', start: 0, end: command.length, tier: 'danger' }],
      parts: [{ text: command, argv: command.split(' '), start: 0, end: command.length, depth: 0, verdict: 'ask' }],
    },
    state: 'created', createdAt: 1_000, expiresAt: 301_000, allowSession: true, allowAlways: true, alwaysEntries: ['recursive delete'],
    ...change,
  });
}

export function unknownRequest(name: string, change: Change = {}): ApprovalRequest {
  const request = approvalRequest(name, change);
  return { ...request, review: { ...request.review, findings: request.review.findings.map((finding) => ({ ...finding, tier: 'unknown' as const })) } };
}

const draft = (tokens: string[], anyArgs: boolean) => ({
  kind: 'allow', tokens, anyArgs, path: '/usr/bin/rm', scope: { kind: 'project', root: '/srv/app' }, backend: 'local', expiresAt: null, maxUses: null, examples: { matches: [], not: [] },
});

/** What a host offers for `rm -rf build`: exactly that, or `rm -rf` with anything behind. */
export const offered = RulePreview.parse({
  levels: [
    { id: 'exact', drafts: [draft(['rm', '-rf', 'build'], false)], texts: ['rm -rf build'], warnings: [], alsoAllowed: { count: 0, searched: 3, commands: [] }, stillAsks: [] },
    { id: 'wide', drafts: [draft(['rm', '-rf'], true)], texts: ['rm -rf …'], warnings: [], alsoAllowed: { count: 2, searched: 3, commands: ['rm -rf dist', 'rm -rf out'] }, stillAsks: [] },
  ],
});

export const offeredForm: AlwaysForm = { ...emptyAlwaysForm, offer: { state: 'ready', preview: offered } };
