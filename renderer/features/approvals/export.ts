import type { ApprovalRequest } from '../../../preload/contract/approvals.ts';
import { settledWords } from './model.ts';

export function historyAsJson(requests: readonly ApprovalRequest[]): string {
  return `${JSON.stringify(requests, null, 2)}\n`;
}

const COLUMNS: readonly (readonly [string, (request: ApprovalRequest) => string])[] = [
  ['id', (request) => request.id],
  ['asked', (request) => new Date(request.createdAt).toISOString()],
  ['answered', (request) => (request.decidedAt === undefined ? '' : new Date(request.decidedAt).toISOString())],
  ['outcome', settledWords],
  ['from', (request) => request.decidedBy ?? ''],
  ['chat', (request) => request.sessionTitle],
  ['agent', (request) => request.agent ?? ''],
  ['tool', (request) => request.tool],
  ['backend', (request) => request.backend],
  ['host', (request) => request.host],
  ['directory', (request) => request.cwd],
  ['user', (request) => request.user],
  ['reason', (request) => request.reason],
  ['rule', (request) => request.review.rule ?? ''],
  ['command', (request) => request.command],
  ['ran instead', (request) => request.editedCommand ?? ''],
  ['exit code', (request) => (request.exitCode === undefined || request.exitCode === null ? '' : String(request.exitCode))],
];

/** CSV as in RFC 4180: a head row, CRLF, every field quoted. */
export function historyAsTable(requests: readonly ApprovalRequest[]): string {
  const rows = [COLUMNS.map(([name]) => name), ...requests.map((request) => COLUMNS.map(([, read]) => read(request)))];
  return rows.map((row) => `${row.map(quoted).join(',')}\r\n`).join('');
}

/** A field that a spreadsheet would take for a formula is kept as text by a leading apostrophe. */
function quoted(field: string): string {
  const inert = /^[=+\-@\t\r]/.test(field) ? `'${field}` : field;
  return `"${inert.replaceAll('"', '""')}"`;
}
