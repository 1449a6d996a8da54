/** Settled requests as one text, for other programs. */
import type { ApprovalRequest } from '../../preload/contract/approvals.ts';

const COLUMNS: readonly (readonly [string, (request: ApprovalRequest) => string | number | null | undefined])[] = [
  ['id', ({ id }) => id],
  ['asked', ({ createdAt }) => new Date(createdAt).toISOString()],
  ['answered', ({ decidedAt }) => (decidedAt === undefined ? '' : new Date(decidedAt).toISOString())],
  ['state', ({ state }) => state],
  ['choice', ({ choice }) => choice],
  ['by', ({ decidedBy }) => decidedBy],
  ['chat', ({ sessionTitle }) => sessionTitle],
  ['agent', ({ agent }) => agent],
  ['tool', ({ tool }) => tool],
  ['backend', ({ backend }) => backend],
  ['host', ({ host }) => host],
  ['user', ({ user }) => user],
  ['directory', ({ cwd }) => cwd],
  ['reason', ({ reason }) => reason],
  ['keys', ({ review }) => [...new Set(review.findings.map(({ key }) => key))].join('; ')],
  ['rule', ({ review }) => review.rule],
  ['rules saved', ({ savedRules }) => savedRules?.join('; ')],
  ['deny reason', ({ denyReason }) => denyReason],
  ['command', ({ command }) => command],
  ['ran instead', ({ editedCommand }) => editedCommand],
  ['exit code', ({ exitCode }) => exitCode],
];

/** A field that a spreadsheet would take for a formula is kept as text by a leading apostrophe. */
function cell(value: string | number | null | undefined): string {
  const text = value === undefined || value === null ? '' : String(value);
  return `"${(/^[=+\-@\t\r]/.test(text) && typeof value === 'string' ? `'${text}` : text).replaceAll('"', '""')}"`;
}

/** `json`: the requests as they crossed. `csv`: a head row and one row each, CRLF, every field quoted (RFC 4180). */
export function exportedHistory(requests: readonly ApprovalRequest[], format: 'json' | 'csv'): string {
  if (format === 'json') return `${JSON.stringify(requests, null, 2)}\n`;
  return [COLUMNS.map(([name]) => cell(name)), ...requests.map((request) => COLUMNS.map(([, read]) => cell(read(request))))].map((row) => `${row.join(',')}\r\n`).join('');
}
