import type { ApprovalRequest, FindingClass } from '../../../preload/contract/approvals.ts';

const CLASS_WORDS: Readonly<Record<FindingClass, string>> = {
  'delete': 'Deletes data', 'disk': 'Disks and file systems', 'permissions': 'Permissions', 'sql': 'Database', 'system-config': 'System settings',
  'credentials': 'Credentials', 'services': 'Services', 'processes': 'Processes', 'remote-code': 'Runs code from the network',
  'interpreter': 'Runs generated code', 'git-history': 'Repository history', 'containers': 'Containers', 'packages': 'Packages',
  'metadata': 'Cloud metadata', 'persistence': 'Starts by itself later', 'exfiltration': 'Sends data out', 'power': 'Power',
  'windows': 'Windows', 'agent-self': 'Touches Talaria itself', 'privilege': 'Higher privilege', 'unknown': 'Cannot be judged', 'limit': 'Too large to judge',
  'user-rule': 'Your rule',
};

export function classWords(kind: FindingClass): string {
  return CLASS_WORDS[kind];
}

/** The classes of a request, each once, in the order found. */
export function requestClasses(request: Pick<ApprovalRequest, 'review'>): string[] {
  return [...new Set(request.review.findings.map((finding) => classWords(finding.class)))];
}

/** "4:05", or "2 h 03 min" from an hour on. Never negative. */
export function countdown(milliseconds: number): string {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1_000));
  if (seconds >= 86_400) return `${Math.floor(seconds / 86_400)} d`;
  if (seconds >= 3_600) return `${Math.floor(seconds / 3_600)} h ${String(Math.floor((seconds % 3_600) / 60)).padStart(2, '0')} min`;
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** What one line of `command_allowlist` lets through, in words. */
export function entryMeaning(entry: string, request: Pick<ApprovalRequest, 'review'>): string {
  if (request.review.findings.some((finding) => finding.key === entry)) return 'every command, in every chat, that is stopped for this reason';
  if (/[*?[]/.test(entry)) return 'every simple command, in every chat, that this pattern matches';
  return 'exactly this command, in every chat';
}
