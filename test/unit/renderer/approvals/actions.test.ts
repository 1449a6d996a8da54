import { expect, test } from 'vitest';
import { createStore } from 'zustand/vanilla';
import type { ApprovalRequest } from '../../../../preload/contract/approvals.ts';
import { AppError } from '../../../../preload/contract/errors.ts';
import type { Talaria } from '../../../../preload/contract/index.ts';
import { approvalActions, followApprovals } from '../../../../renderer/features/approvals/actions.ts';
import { emptyApprovals, openIds, withList } from '../../../../renderer/features/approvals/model.ts';
import { approvalRequest } from './fixtures.ts';

type Requester = (name: string, input: unknown) => unknown;

function connected(answer: Requester, requests: ApprovalRequest[]) {
  const store = createStore(() => withList(emptyApprovals, requests));
  const sent: { name: string; input: unknown }[] = [];
  const listeners: ((event: { type: 'changed'; request: ApprovalRequest }) => void)[] = [];
  const statuses: ((status: 'connecting' | 'open' | 'closed') => void)[] = [];
  const talaria = {
    request: async (name: string, input: unknown) => { sent.push({ name, input }); return answer(name, input); },
    subscribe: (_topic: string, listener: typeof listeners[number]) => { listeners.push(listener); return () => undefined; },
    onStatus: (listener: typeof statuses[number]) => { statuses.push(listener); return () => undefined; },
    onOutput: () => () => undefined,
  } as unknown as Talaria; // a hand-driven wire: the generic signatures cannot be written for a recording one
  return { store, sent, talaria, listeners, statuses, actions: approvalActions(talaria, store) };
}

const first = approvalRequest('first');
const second = approvalRequest('second');

test('an answer carries the id of its request and settles only that one', async () => {
  const { actions, sent, store } = connected((_name, input) => ({ ...second, ...(input as object), state: 'approved' }), [first, second]);
  expect(await actions.decide(second.id, { choice: 'once' })).toBe(true);
  expect(sent).toEqual([{ name: 'approvals.decide', input: { id: second.id, choice: 'once' } }]);
  expect(openIds(store.getState())).toEqual([first.id]);
});

test('a second click while the answer is on its way sends nothing', async () => {
  const { actions, sent } = connected(() => ({ ...first, state: 'approved' }), [first]);
  await Promise.all([actions.decide(first.id, { choice: 'once' }), actions.decide(first.id, { choice: 'deny' })]);
  expect(sent.map((request) => request.input)).toEqual([{ id: first.id, choice: 'once' }]);
});

test('a late answer is told in words, with what stands instead', async () => {
  const { actions, store } = connected((name) => {
    if (name === 'approvals.decide') throw new AppError('approval/late', 'already answered');
    return name === 'approvals.list' ? [] : [{ ...first, state: 'denied', choice: 'deny', decidedBy: 'cli' }];
  }, [first]);
  expect(await actions.decide(first.id, { choice: 'once' })).toBe(false);
  expect(store.getState().notes.get(first.id)).toBe('Your answer came too late and changed nothing. It stands as: Denied from cli.');
  expect(openIds(store.getState())).toEqual([]);
});

test('a refused edit leaves the request open and says why', async () => {
  const { actions, store } = connected(() => { throw new AppError('request/not-possible', 'The edited command is stricter', { hint: 'Deny it and say why' }); }, [first]);
  await actions.decide(first.id, { choice: 'once', editedCommand: 'rm -rf /' });
  expect(store.getState().notes.get(first.id)).toBe('The edited command is stricter. Deny it and say why');
  expect(openIds(store.getState())).toEqual([first.id]);
});

test('answering several goes one by one and a refusal leaves the rest', async () => {
  const { actions, sent, store } = connected((_name, input) => {
    const { id } = input as { id: string };
    if (id === first.id) throw new AppError('host/internal', 'disk full');
    return { ...second, state: 'approved', choice: 'once' };
  }, [first, second]);
  expect(await actions.decideEach([first.id, second.id], 'once')).toBe(1);
  expect(sent).toHaveLength(2);
  expect(openIds(store.getState())).toEqual([first.id]);
});

test('an event settles a request here too, and a line that came back reads the list again', async () => {
  const { actions, talaria, store, listeners, statuses, sent } = connected(() => [second], [first]);
  followApprovals(talaria, store, actions);
  await Promise.resolve();
  listeners[0]?.({ type: 'changed', request: { ...second, state: 'expired' } });
  expect(openIds(store.getState())).toEqual([]);
  statuses[0]?.('open');
  await Promise.resolve();
  expect(sent.filter((request) => request.name === 'approvals.list')).toHaveLength(2);
});
