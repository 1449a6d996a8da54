import { describe, expect, test } from 'vitest';
import { emptyAlwaysForm } from '../../../../renderer/features/approvals/always-form.ts';
import { keyDeed } from '../../../../renderer/features/approvals/keys.ts';
import { arm, emptyApprovals, LONG_COMMAND_CHARS, markReadInFull, markTall, withBusy, withList, withStep } from '../../../../renderer/features/approvals/model.ts';
import { runPrepared } from '../../../../renderer/features/approvals/prepared.ts';
import { countdown, entryMeaning } from '../../../../renderer/features/approvals/words.ts';
import { approvalRequest, offeredForm } from './fixtures.ts';

const first = approvalRequest('first');
const second = approvalRequest('second', { createdAt: 2_000 });
const armed = arm(withList(emptyApprovals, [first, second]), second.id);
const press = (key: string, change = {}) => ({ key, modified: false, repeated: false, ...change });

describe('the keys of the queue', () => {
  test.each(['Enter', ' ', 'o', 's', '1'])('%j alone never answers', (key) => {
    expect(keyDeed(armed, press(key))).toBeUndefined();
  });

  test('Y and then Enter runs the armed request, by its id', () => {
    expect(keyDeed(armed, press('y'))).toEqual({ kind: 'ask-confirm', id: second.id });
    const asked = withStep(armed, { kind: 'confirm', id: second.id });
    expect(keyDeed(asked, press('Enter'))).toEqual({ kind: 'confirm', id: second.id });
    expect(keyDeed(asked, press('Escape'))).toEqual({ kind: 'cancel' });
  });

  test('while a rule is put together, Y asks for Enter only once there is something to save', () => {
    const step = { kind: 'always', id: second.id, form: emptyAlwaysForm, confirm: false } as const;
    expect(keyDeed({ ...armed, step }, press('y'))).toBeUndefined();
    expect(keyDeed({ ...armed, step: { ...step, form: offeredForm } }, press('y'))).toEqual({ kind: 'ask-confirm', id: second.id });
    expect(keyDeed({ ...armed, step: { ...step, form: offeredForm } }, press('Enter'))).toBeUndefined();
  });

  test('a prepared yes on one card is not confirmed while another is armed', () => {
    expect(keyDeed({ ...armed, step: { kind: 'confirm', id: first.id } }, press('Enter'))).toBeUndefined();
  });

  test('each letter has its deed, in either case', () => {
    expect(keyDeed(armed, press('N'))).toEqual({ kind: 'deny', id: second.id });
    expect(keyDeed(armed, press('a'))).toEqual({ kind: 'open-always', id: second.id });
    expect(keyDeed(armed, press('r'))).toEqual({ kind: 'open-reason', id: second.id });
    expect(keyDeed(armed, press('e'))).toEqual({ kind: 'open-edit', id: second.id });
    expect(keyDeed(armed, press('h'))).toEqual({ kind: 'toggle-hold', id: second.id, held: true });
    expect(keyDeed(armed, press('k'))).toEqual({ kind: 'move', by: -1 });
  });

  test('with nothing armed only moving means something', () => {
    const loose = withList(emptyApprovals, [first, second]);
    expect(keyDeed(loose, press('y'))).toBeUndefined();
    expect(keyDeed(loose, press('n'))).toBeUndefined();
    expect(keyDeed(loose, press('j'))).toEqual({ kind: 'move', by: 1 });
  });

  test('shortcuts with Ctrl and keys that repeat because they are held mean nothing', () => {
    expect(keyDeed(armed, press('y', { modified: true }))).toBeUndefined();
    expect(keyDeed(armed, press('n', { repeated: true }))).toBeUndefined();
  });

  test('a request whose answer is on its way takes no more keys', () => {
    expect(keyDeed(withBusy(armed, second.id, true), press('n'))).toBeUndefined();
  });

  test('a very long command that was not read to its end cannot be run, but can be denied', () => {
    const long = approvalRequest('long', { command: 'x'.repeat(LONG_COMMAND_CHARS + 1) });
    const model = withList(emptyApprovals, [long]);
    expect(keyDeed(model, press('y'))).toBeUndefined();
    expect(keyDeed(model, press('a'))).toBeUndefined();
    expect(keyDeed(model, press('n'))).toEqual({ kind: 'deny', id: long.id });
  });

  test('a command that its view cuts off is neither run nor allowed for good before it was read to its end', () => {
    const cutOff = markTall(armed, second.id);
    expect([keyDeed(cutOff, press('y')), keyDeed(cutOff, press('a'))]).toEqual([undefined, undefined]);
    expect(keyDeed(markReadInFull(cutOff, second.id), press('y'))).toEqual({ kind: 'ask-confirm', id: second.id });
  });
});

describe('what a confirmed card sends', () => {
  const sentBy = (step: Parameters<typeof runPrepared>[2]) => {
    const sent: unknown[] = [];
    runPrepared({ decide: async (id, answer) => { sent.push({ id, ...answer }); return true; } }, first, step);
    return sent;
  };

  test('once, always from the open rule, or the edited text', () => {
    expect(sentBy({ kind: 'confirm', id: first.id })).toEqual([{ id: first.id, choice: 'once' }]);
    expect(sentBy({ kind: 'always', id: first.id, form: { ...emptyAlwaysForm, way: 'config' }, confirm: true })).toEqual([{ id: first.id, choice: 'always' }]);
    expect(sentBy({ kind: 'always', id: first.id, form: offeredForm, confirm: true })).toEqual([
      { id: first.id, choice: 'always', rule: { level: 'exact', scope: 'project', anyBackend: false, expiresInMs: null, maxUses: null } },
    ]);
    expect(sentBy({ kind: 'edit', id: first.id, text: 'rm -rf build/tmp', confirm: true })).toEqual([{ id: first.id, choice: 'once', editedCommand: 'rm -rf build/tmp' }]);
  });

  test('nothing at all while the rule that would be saved is not known', () => {
    expect(sentBy({ kind: 'always', id: first.id, form: emptyAlwaysForm, confirm: true })).toEqual([]);
  });

  test('an edit that changed nothing is an ordinary once', () => {
    expect(sentBy({ kind: 'edit', id: first.id, text: first.command, confirm: true })).toEqual([{ id: first.id, choice: 'once' }]);
  });
});

describe('words', () => {
  test('the clock counts in minutes and seconds, then hours, then days, and never below zero', () => {
    expect([-5, 400, 61_000, 300_000, 3_780_000, 200_000_000].map(countdown)).toEqual(['0:00', '0:01', '1:01', '5:00', '1 h 03 min', '2 d']);
  });

  test('a rule says how much it lets through', () => {
    expect(entryMeaning('recursive delete', first)).toContain('every command');
    expect(entryMeaning('podman *', first)).toContain('pattern');
    expect(entryMeaning('rm -rf build', first)).toContain('exactly this command');
  });
});
