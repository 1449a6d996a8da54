import { describe, expect, test } from 'vitest';
import {
  arm, emptyApprovals, isRed, LONG_COMMAND_CHARS, markReadInFull, markTall, moveArmed, mustReadFirst, openIds, pickAll, settledWords, togglePicked, whyNoAlways,
  withList, withoutSettled, withRequest, withStep,
} from '../../../../renderer/features/approvals/model.ts';
import { approvalId, approvalRequest, unknownRequest } from './fixtures.ts';

const first = approvalRequest('first', { createdAt: 1 });
const second = approvalRequest('second', { createdAt: 2 });
const third = unknownRequest('third', { createdAt: 3 });

describe('the queue', () => {
  test('lists open requests oldest first, whatever order the host named them in', () => {
    const model = withList(emptyApprovals, [second, first]);
    expect(model.queue).toEqual([first.id, second.id]);
    expect(model.status).toBe('ready');
  });

  test('adds a new request at the end, so that no card above it moves', () => {
    const late = approvalRequest('late', { createdAt: 0 });
    const model = withRequest(withList(emptyApprovals, [first, second]), late);
    expect(model.queue).toEqual([first.id, second.id, late.id]);
  });

  test('keeps a settled request in its place as a verdict line until it is cleared away', () => {
    const model = withRequest(withList(emptyApprovals, [first, second]), { ...first, state: 'denied', choice: 'deny' });
    expect(model.queue).toEqual([first.id, second.id]);
    expect(openIds(model)).toEqual([second.id]);
    expect(withoutSettled(model).queue).toEqual([second.id]);
  });

  test('makes room when a question comes into a queue of old verdict lines, but keeps the last of them', () => {
    const settled = [first, second].reduce((model, request) => withRequest(model, { ...request, state: 'denied' }), withList(emptyApprovals, [first, second]));
    expect(withRequest(settled, third).queue).toEqual([second.id, third.id]);
    const beside = withRequest(withList(emptyApprovals, [first, second]), { ...first, state: 'denied' });
    expect(withRequest(beside, third).queue).toEqual([first.id, second.id, third.id]);
  });

  test('drops an open request that the host no longer lists', () => {
    const model = withList(withList(emptyApprovals, [first, second]), [second]);
    expect(model.queue).toEqual([second.id]);
    expect(model.byId.has(first.id)).toBe(false);
  });

  test('remembers a request settled long ago without queueing it', () => {
    const model = withRequest(emptyApprovals, { ...first, state: 'approved', choice: 'once' });
    expect(model.byId.get(first.id)?.state).toBe('approved');
    expect(model.queue).toEqual([]);
  });

  test('never takes two requests with the same command for one', () => {
    const model = withList(emptyApprovals, [first, { ...first, id: approvalId('twin') }]);
    expect(model.queue).toHaveLength(2);
  });
});

describe('the armed card', () => {
  test('is the only open one, by itself', () => {
    expect(withList(emptyApprovals, [first]).armed).toBe(first.id);
  });

  test('is none of several that were there at once: a person chooses', () => {
    expect(withList(emptyApprovals, [first, second]).armed).toBeUndefined();
  });

  test('stays where it is when another request arrives', () => {
    expect(withRequest(withList(emptyApprovals, [first]), second).armed).toBe(first.id);
  });

  test('does not jump to the next request after an answer', () => {
    const model = withList(emptyApprovals, [first, second, third]);
    expect(withRequest(arm(model, first.id), { ...first, state: 'approved', choice: 'once' }).armed).toBeUndefined();
  });

  test('moves through open requests only and stops at the ends', () => {
    const model = withRequest(arm(withList(emptyApprovals, [first, second, third]), first.id), { ...second, state: 'denied' });
    expect(moveArmed(model, 1).armed).toBe(third.id);
    expect(moveArmed(moveArmed(model, 1), 1).armed).toBe(third.id);
    expect(moveArmed(moveArmed(model, 1), -1).armed).toBe(first.id);
  });

  test('cannot be a settled one', () => {
    const model = withRequest(withList(emptyApprovals, [first, second]), { ...first, state: 'expired' });
    expect(arm(model, first.id)).toBe(model);
  });

  test('loses a half-made confirmation when another card is armed', () => {
    const model = withStep(arm(withList(emptyApprovals, [first, second]), first.id), { kind: 'confirm', id: first.id });
    expect(moveArmed(model, 1).step).toBeUndefined();
  });
});

describe('picking several', () => {
  test('"all" leaves out what matched a danger pattern, which can still be picked by hand', () => {
    const model = pickAll(withList(emptyApprovals, [first, third]));
    expect([...model.picked]).toEqual([third.id]);
    expect(isRed(first)).toBe(true);
    expect([...togglePicked(model, first.id).picked]).toEqual([third.id, first.id]);
  });

  test('a settled request falls out of the picked ones', () => {
    const model = togglePicked(withList(emptyApprovals, [third]), third.id);
    expect(withRequest(model, { ...third, state: 'cancelled' }).picked.size).toBe(0);
  });
});

describe('what a card offers', () => {
  test('no "always" for a request that the host says cannot have one, that has no exact rule, or that is very long', () => {
    expect(whyNoAlways(first)).toBeUndefined();
    expect(whyNoAlways({ ...first, allowAlways: false })).toContain('cannot be allowed for good');
    expect(whyNoAlways(unknownRequest('dark', { allowAlways: false }))).toContain('cannot be judged');
    expect(whyNoAlways({ ...first, allowAlways: false, command: 'cat <<E | sh\nrm -rf x\nE' })).toContain('here-document');
    expect(whyNoAlways({ ...first, alwaysEntries: [] })).toContain('no rule');
    expect(whyNoAlways({ ...first, command: 'x'.repeat(LONG_COMMAND_CHARS + 1) })).toContain('too long');
  });

  test('a very long command must be read to its end before it can run', () => {
    const long = { ...first, command: 'x'.repeat(LONG_COMMAND_CHARS + 1) };
    const model = withList(emptyApprovals, [long]);
    expect(mustReadFirst(model, long)).toBe(true);
    expect(mustReadFirst(markReadInFull(model, long.id), long)).toBe(false);
    expect(mustReadFirst(model, first)).toBe(false);
  });

  test('so must a short one of many lines, once its view was found to cut it off', () => {
    const model = markTall(withList(emptyApprovals, [first, second]), first.id);
    expect([mustReadFirst(model, first), mustReadFirst(model, second)]).toEqual([true, false]);
    expect(mustReadFirst(markReadInFull(model, first.id), first)).toBe(false);
  });
});

describe('what is said', () => {
  test('a new request is announced with its chat, its reason, the count and the choices', () => {
    const { announcement } = withRequest(withList(emptyApprovals, [first]), second);
    expect(announcement).toContain('Clean the project');
    expect(announcement).toContain('2 requests wait');
    expect(announcement).toContain('deny and say why');
  });

  test('each way to end has its own words', () => {
    expect(settledWords({ ...first, state: 'approved', choice: 'session', decidedBy: 'desktop' })).toBe('Approved for this chat');
    expect(settledWords({ ...first, state: 'approved', choice: 'once', editedCommand: 'ls', decidedBy: 'cli' })).toBe('Approved once, modified by you from cli');
    expect(settledWords({ ...first, state: 'denied', choice: 'deny', denyReason: 'use trash' })).toBe('Denied: use trash');
    expect(settledWords({ ...first, state: 'expired', choice: 'timeout' })).toContain('silence counts as no');
    expect(settledWords({ ...first, state: 'cancelled', choice: 'cancelled' })).toContain('nothing was refused');
  });
});
