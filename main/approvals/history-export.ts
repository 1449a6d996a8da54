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

/** Every string in `value` through `redact`. */
function hidden(value: unknown, redact: (text: string) => string): unknown {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map((item) => hidden(item, redact));
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value).map(([name, item]) => [name, hidden(item, redact)])) : value;
}

/**
 * The file leaves the app, so no text in it carries a secret that `redact` knows.
 * `json`: the requests as they crossed; one whose command lost a secret says `redacted: true`, and its offsets still count in the command that ran.
 * `csv`: a head row and one row each, CRLF, every field quoted (RFC 4180).
 */
export function exportedHistory(kept: readonly ApprovalRequest[], format: 'json' | 'csv', redact: (text: string) => string): string {
  const requests = kept.map((request) => ({ ...hidden(request, redact) as ApprovalRequest, ...(redact(request.command) === request.command ? {} : { redacted: true }) })); // cast: the same shape, string for string
  if (format === 'json') return `${JSON.stringify(requests, null, 2)}\n`;
  return [COLUMNS.map(([name]) => cell(name)), ...requests.map((request) => COLUMNS.map(([, read]) => cell(read(request))))].map((row) => `${row.join(',')}\r\n`).join('');
}
