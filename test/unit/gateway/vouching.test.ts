import { expect, test } from 'vitest';
import { isVouchedFor, type VouchingParts } from '../../../main/gateway/vouching.ts';

const own: Omit<VouchingParts, 'reports'> = { from: 'anna@example.com', serverId: undefined, hosts: ['imap.example.org', 'example.org'] };
const GOOD = 'mx.example.org; spf=pass smtp.mailfrom=example.com; dmarc=pass (p=reject) header.from=example.com';

test.each<[string, Partial<VouchingParts> & Pick<VouchingParts, 'reports'>]>([
  ['dmarc of the own server', { reports: [GOOD] }],
  ['dkim of the very domain', { reports: ['mx.example.org 1; dkim=pass header.d=example.com header.s=x'] }],
  ['dkim of a parent domain', { reports: ['mx.example.org; dkim=pass header.i=@example.com'], from: 'anna@mail.example.com' }],
  ['below a report of somebody else', { reports: ['list.elsewhere.test; dmarc=fail', GOOD] }],
  ['the name that the settings give', { reports: ['filter-7.internal; dmarc=pass header.from=example.com'], serverId: 'Filter-7.internal' }],
  ['Gmail', { reports: ['mx.google.com; dkim=pass header.i=@example.com header.s=s1; spf=pass (google.com: domain of x designates 1.2.3.4) smtp.mailfrom=x; dmarc=pass (p=NONE) header.from=example.com'], hosts: ['imap.gmail.com', 'gmail.com'] }],
  ['Microsoft, without a name', { reports: ['spf=pass (sender IP is 1.2.3.4) smtp.mailfrom=example.com; dkim=pass (signature was verified) header.d=example.com;dmarc=pass action=none header.from=example.com;compauth=pass reason=100'], hosts: ['outlook.office365.com', 'contoso.com'] }],
])('vouched for: %s', (_name, parts) => {
  expect(isVouchedFor({ ...own, ...parts })).toBe(true);
});

test.each<[string, Partial<VouchingParts> & Pick<VouchingParts, 'reports'>]>([
  ['no report', { reports: [] }],
  ['a report that came with the letter', { reports: ['mx.evil.test; dmarc=pass header.from=example.com'] }],
  ['a forged one below the real one', { reports: ['mx.example.org; dmarc=fail header.from=example.com', GOOD] }],
  ['a pass for another domain', { reports: ['mx.example.org; dmarc=pass header.from=evil.test'] }],
  ['a pass that names no domain', { reports: ['mx.example.org; dmarc=pass'] }],
  ['dkim of another domain', { reports: ['mx.example.org; dkim=pass header.d=evil.test; spf=pass'] }],
  ['a domain that only ends alike', { reports: ['mx.example.org; dkim=pass header.d=ample.com'] }],
  ['words in a quoted sender', { reports: ['mx.example.org; spf=pass smtp.mailfrom="x; dmarc=pass header.from=example.com; "@evil.test; dmarc=fail header.from=example.com'] }],
  ['an open quote', { reports: ['mx.example.org; spf=pass smtp.mailfrom="x; dmarc=pass header.from=example.com'] }],
  ['words in a comment', { reports: ['mx.example.org; dmarc=fail (a (b) ; dmarc=pass header.from=example.com) header.from=example.com'] }],
  ['none instead of pass', { reports: ['mx.example.org; dmarc=none header.from=example.com; dkim=none'] }],
  ['passage is not pass', { reports: ['mx.example.org; xdmarc=pass header.from=example.com'] }],
  ['a server whose name only ends alike', { reports: ['mx.notexample.org; dmarc=pass header.from=example.com'] }],
  ['a nameless report where the server has a name', { reports: ['dmarc=pass header.from=example.com'] }],
  ['another server than the settings name', { reports: [GOOD], serverId: 'mx2.example.org' }],
])('not vouched for: %s', (_name, parts) => {
  expect(isVouchedFor({ ...own, ...parts })).toBe(false);
});

// Looked at again for each bracket this takes minutes.
test('a long nest of brackets and quotes is read at once', () => {
  expect(isVouchedFor({ ...own, reports: [`mx.example.org; ${'('.repeat(60_000)}${')'.repeat(60_000)}${'"\\'.repeat(60_000)}`] })).toBe(false);
});
