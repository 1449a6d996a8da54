import { expect, test } from 'vitest';
import { createEventBus } from '../../../main/events.ts';
import { followNotifications } from '../../../main/host/notifications.ts';
import { createRedact } from '../../../main/redact.ts';
import type { Shell } from '../../../main/ports.ts';
import { silentLog } from '../../../main/log.ts';
import { approvalRequest } from '../renderer/approvals/fixtures.ts';

test('a note of the system, which keeps it, carries no known secret, not even the half of one that is cut off', () => {
  const secret = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789';
  const notes: Parameters<Shell['notify']>[0][] = [];
  const events = createEventBus(silentLog);
  const stop = followNotifications(events, { notify: (note) => { notes.push(note); } }, { sessions: {} as never }, createRedact({ enabled: true })); // cast: approvals bring the chat's title along
  events.publish('approvals', { type: 'changed', request: approvalRequest('one', { command: `rm -rf /srv/${secret}` }) });
  events.publish('approvals', { type: 'changed', request: approvalRequest('two', { command: `rm -rf ${'a'.repeat(130)} ${secret}` }) });
  stop();
  expect(notes.map((note) => note.body)).toEqual([expect.stringContaining('rm -rf /srv/ghp_ab...'), expect.stringContaining('rm -rf aaa')]);
  for (const { body } of notes) expect(body).not.toContain(secret.slice(0, 12));
});
