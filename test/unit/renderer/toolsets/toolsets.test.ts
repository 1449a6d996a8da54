import { describe, expect, test } from 'vitest';
import { createStore } from 'zustand/vanilla';
import { AppError } from '../../../../preload/contract/errors.ts';
import { SessionId } from '../../../../preload/contract/ids.ts';
import type { Talaria } from '../../../../preload/contract/index.ts';
import { ToolsetInfo } from '../../../../preload/contract/settings.ts';
import { toolsetActions } from '../../../../renderer/features/toolsets/actions.ts';
import {
  effectiveTokens, emptyToolsets, isEffective, matching, oldestCheck, stateWords, withList, withSession, withSwitch,
} from '../../../../renderer/features/toolsets/model.ts';

const chat = SessionId.parse('ses_000000000001');
const otherChat = SessionId.parse('ses_000000000002');

function toolset(name: string, change: Partial<ToolsetInfo> = {}): ToolsetInfo {
  return ToolsetInfo.parse({
    name, description: `the ${name} tools`, enabled: true, enabledByDefault: true, inChat: null, available: true, reason: null, checkedAt: 1_000, tokens: 100, uses30d: 0,
    tools: [{ name: `${name}_one`, emoji: '🔧', description: 'does one thing', parameters: {}, tokens: 100, available: true }],
    ...change,
  });
}

describe('the state of a toolset', () => {
  test('is effective only when it is wished for, available and held back by nothing', () => {
    expect(isEffective(toolset('file'))).toBe(true);
    expect(isEffective(toolset('file', { enabled: false }))).toBe(false);
    expect(isEffective(toolset('file', { available: false }))).toBe(false);
    expect(isEffective(toolset('file', { reason: { step: 'model-without-tools', message: 'The model cannot call tools' } }))).toBe(false);
    expect(isEffective(toolset('file', { tools: [] }))).toBe(false);
  });

  test('on but not available names the first failing step and its fix', () => {
    const words = stateWords(toolset('web', { available: false, reason: { step: 'missing-variable', message: 'TAVILY_API_KEY is not set.', fix: 'Put it into ~/.hermes/.env' } }));
    expect(words).toEqual({ tone: 'warn', words: 'On, but held back', why: 'TAVILY_API_KEY is not set.', fix: 'Put it into ~/.hermes/.env' });
  });

  test('off says whether this chat or the default switched it off, and does not repeat the switch as a fault', () => {
    expect(stateWords(toolset('web', { enabled: false, inChat: false, reason: { step: 'disabled-in-chat', message: 'off' } }))).toMatchObject({ words: 'Off in this chat', why: undefined });
    expect(stateWords(toolset('web', { enabled: false, enabledByDefault: false })).words).toBe('Off by default');
    expect(stateWords(toolset('web', { enabled: false, available: false })).words).toBe('Off by default, and could not run now');
  });
});

describe('the switch', () => {
  const model = withList(withSession(emptyToolsets, chat), chat, [toolset('web')]);

  test('of a chat lies over the default, and taking it back inherits again', () => {
    const off = withSwitch(model, 'web', 'chat', false).list[0];
    expect(off).toMatchObject({ inChat: false, enabled: false, enabledByDefault: true });
    expect(withSwitch(withSwitch(model, 'web', 'chat', false), 'web', 'chat', null).list[0]).toMatchObject({ inChat: null, enabled: true });
  });

  test('of the default leaves a chat with its own switch as it is', () => {
    const own = withSwitch(model, 'web', 'chat', true);
    expect(withSwitch(own, 'web', 'default', false).list[0]).toMatchObject({ enabledByDefault: false, inChat: true, enabled: true });
    expect(withSwitch(model, 'web', 'default', false).list[0]).toMatchObject({ enabledByDefault: false, enabled: false });
  });
});

test('the cost counts a tool once, however many toolsets hold it, and only what is sent', () => {
  const shared = toolset('file').tools;
  expect(effectiveTokens([toolset('file'), toolset('coding', { tools: shared }), toolset('web', { enabled: false })])).toBe(100);
});

test('search looks at toolsets and tools and wants every word', () => {
  const list = [toolset('file'), toolset('web')];
  expect(matching(list, 'WEB thing').map((found) => found.name)).toEqual(['web']);
  expect(matching(list, '  ')).toBe(list);
  expect(matching(list, 'web file')).toEqual([]);
});

test('the age shown is that of the oldest check', () => {
  expect(oldestCheck([toolset('a', { checkedAt: 5 }), toolset('b', { checkedAt: 3 }), toolset('c', { checkedAt: null })])).toBe(3);
  expect(oldestCheck([])).toBeUndefined();
});

describe('talking to the host', () => {
  function panel(answer: (name: string, input: { sessionId?: string; enabled?: boolean | null }) => Promise<ToolsetInfo[]>) {
    const store = createStore(() => emptyToolsets);
    const sent: unknown[] = [];
    const request = async (name: string, input: object) => { sent.push([name, input]); return answer(name, input); };
    return { store, sent, actions: toolsetActions({ request: request as unknown as Talaria['request'] }, store) }; // a recording wire: its answers are checked by the toolset schema above
  }

  test('a chat switch names the chat, a default switch does not', async () => {
    const { actions, sent } = panel(async () => [toolset('web')]);
    await actions.show(chat);
    await actions.set('web', 'chat', false);
    await actions.set('web', 'default', false);
    expect(sent).toEqual([
      ['toolsets.list', { sessionId: chat }],
      ['toolsets.set', { name: 'web', enabled: false, sessionId: chat }],
      ['toolsets.set', { name: 'web', enabled: false }],
      ['toolsets.list', { sessionId: chat }],
    ]);
  });

  test('a switch that the host refuses goes back to what the host has, and the refusal is told', async () => {
    const { actions, store } = panel(async (name) => {
      if (name === 'toolsets.set') throw new AppError('config/malformed', 'config.yaml is malformed');
      return [toolset('web')];
    });
    await actions.show(chat);
    await expect(actions.set('web', 'default', false)).rejects.toThrow('malformed');
    expect(store.getState().list[0]?.enabledByDefault).toBe(true);
    expect(store.getState().pending.size).toBe(0);
  });

  test('an answer for a chat that is not shown any more is dropped', async () => {
    const waiting: ((list: ToolsetInfo[]) => void)[] = [];
    const { actions, store } = panel((_name, input) => (input.sessionId === chat
      ? new Promise((resolve) => { waiting.push(resolve); })
      : Promise.resolve([toolset('second')])));
    const first = actions.show(chat);
    await actions.show(otherChat);
    waiting[0]?.([toolset('first')]);
    await first;
    expect(store.getState().list.map((found) => found.name)).toEqual(['second']);
  });

  test('two changes of one switch are sent one after the other, and the last one stands', async () => {
    let host = true;
    const { actions, sent, store } = panel(async (name, input) => {
      if (name === 'toolsets.set') host = input.enabled ?? true;
      return [toolset('web', { inChat: host, enabled: host })];
    });
    await actions.show(chat);
    await Promise.all([actions.set('web', 'chat', false), actions.set('web', 'chat', true)]);
    expect(sent.slice(1).map((entry) => (entry as [string, { enabled: boolean }])[1].enabled)).toEqual([false, true]);
    expect(store.getState().list[0]?.enabled).toBe(true);
    expect(store.getState().pending.size).toBe(0);
  });
});
