import { expect, test } from 'vitest';
import { createStore } from 'zustand/vanilla';
import type { Talaria } from '../../../../preload/contract/index.ts';
import { terminalActions } from '../../../../renderer/features/terminals/actions.ts';
import { emptyTerminals, withList } from '../../../../renderer/features/terminals/model.ts';
import { terminal } from './fixtures.ts';

function actionsOn(answer: (name: string, input: Record<string, unknown>) => unknown) {
  const sent: [string, unknown][] = [];
  const store = createStore(() => withList(emptyTerminals, [terminal('t')]));
  const request = async (name: string, input: Record<string, unknown>) => { sent.push([name, input]); return answer(name, input); };
  return { sent, store, actions: terminalActions({ request: request as unknown as Talaria['request'] }, store) }; // a recording wire
}

test('a secret goes to the program with Enter, and nowhere else', async () => {
  const agents = terminal('t', { secretInput: true });
  const { actions, sent } = actionsOn(() => ({}));
  await actions.sendSecret(agents.id, 'hunter2');
  expect(sent).toEqual([['terminals.write', { id: agents.id, data: 'hunter2\r' }]]);
});

test('a shell of the person’s own is selected as soon as it is open', async () => {
  const own = terminal('own', { kind: 'user', driver: 'user' });
  const { actions, store } = actionsOn(() => own);
  await actions.open({ cols: 80, rows: 24 }, undefined);
  expect(store.getState().selected).toBe(own.id);
});

test('a command is run again in its chat; without a chat it says why not', async () => {
  const { actions, sent } = actionsOn(() => ({}));
  await actions.rerun(terminal('t', { state: 'exited' }));
  expect(sent).toEqual([['chat.send', { sessionId: 'ses_000000000001', text: '!make' }]]);
  await expect(actions.rerun(terminal('t', { sessionId: null }))).rejects.toThrow('chat is gone');
});
