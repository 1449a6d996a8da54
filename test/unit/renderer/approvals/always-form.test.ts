import { describe, expect, test } from 'vitest';
import { alsoAllowedWords, alwaysAnswer, chosenLevel, emptyAlwaysForm, levelWords, reachWords, wayOf, withReach } from '../../../../renderer/features/approvals/always-form.ts';
import { emptyApprovals, withAlwaysForm, withList, withStep } from '../../../../renderer/features/approvals/model.ts';
import { approvalRequest, offered, offeredForm } from './fixtures.ts';

const request = approvalRequest('first');

describe('the rule that "always" saves', () => {
  test('is the narrowest one in this project until somebody chooses, and then exactly the chosen one', () => {
    expect(alwaysAnswer(offeredForm)?.rule).toEqual({ level: 'exact', scope: 'project', anyBackend: false, expiresInMs: null, maxUses: null });
    expect(alwaysAnswer({ ...offeredForm, level: 'wide', scope: 'chat', anyBackend: true, lasting: 'hour' })?.rule)
      .toEqual({ level: 'wide', scope: 'chat', anyBackend: true, expiresInMs: 3_600_000, maxUses: null });
    expect(alwaysAnswer({ ...offeredForm, lasting: 'uses', uses: ' 12 ' })?.rule).toMatchObject({ maxUses: 12, expiresInMs: null });
  });

  test('a level that is not offered any more falls back to the narrowest, never to a wider one', () => {
    expect(chosenLevel({ ...offeredForm, level: 'gone' })?.id).toBe('exact');
  });

  test.each(['', '0', '-1', '1.5', 'ten', '1000001'])('%j is no number of times, and nothing is saved', (uses) => {
    expect(alwaysAnswer({ ...offeredForm, lasting: 'uses', uses })).toBeUndefined();
  });

  test('there is nothing to save while the host looks, or when it could not', () => {
    expect(alwaysAnswer(emptyAlwaysForm)).toBeUndefined();
    expect(alwaysAnswer(withReach(offeredForm, { scope: 'everywhere' }))).toBeUndefined();
    expect(alwaysAnswer({ ...emptyAlwaysForm, offer: { state: 'failed', why: 'gone' } })).toBeUndefined();
  });

  test('the lines of config.yaml are chosen by hand, or stand alone where no rule can be made', () => {
    expect(alwaysAnswer({ ...offeredForm, way: 'config' })).toEqual({ choice: 'always' });
    expect(wayOf({ ...emptyAlwaysForm, offer: { state: 'ready', preview: { levels: [], refused: 'No rule can be made of it.' } } })).toBe('config');
    expect(wayOf(emptyAlwaysForm)).toBe('rule');
  });

  test('its words name the place, the backend and the time', () => {
    expect(reachWords(offeredForm, request)).toBe('below /srv/app, only on local, for good');
    expect(reachWords({ ...offeredForm, scope: 'everywhere', anyBackend: true, lasting: 'day' }, request)).toBe('in every chat and directory, on every backend, for 1 day');
    expect(reachWords({ ...offeredForm, scope: 'chat', lasting: 'uses', uses: '1' }, request)).toBe('in this chat, only on local, 1 time');
  });

  test('its words tell exact from open-ended, and what it would have let through', () => {
    const [exact, wide] = offered.levels;
    if (exact === undefined || wide === undefined) throw new Error('the fixture has two levels');
    expect([levelWords(exact), levelWords(wide)]).toEqual(['exactly these words', 'with any further words behind it']);
    expect(alsoAllowedWords(exact)).toContain('none of the 3 other commands');
    expect(alsoAllowedWords(wide)).toContain('2 of the 3 other commands');
    expect(alsoAllowedWords({ alsoAllowed: { count: 0, searched: 0, commands: [] } })).toContain('No other command');
  });

  test('a change takes back the yes that waited for Enter, and a change for another card changes nothing', () => {
    const open = withStep(withList(emptyApprovals, [request]), { kind: 'always', id: request.id, form: offeredForm, confirm: true });
    expect(withAlwaysForm(open, request.id, (form) => ({ ...form, level: 'wide' })).step).toMatchObject({ confirm: false, form: { level: 'wide' } });
    expect(withAlwaysForm(open, approvalRequest('other').id, (form) => ({ ...form, level: 'wide' }))).toBe(open);
  });
});
