/** Records of the contract with quiet defaults: a test names only what it is about. */
import type { CallId, Message, MessageId, OpenedSession, Session, SessionId, ToolCall } from '../../../preload/contract/index.ts';

/** 2026-03-02 10:00 UTC. */
export const START = Date.UTC(2026, 2, 2, 10);

export const sessionId = (name: string): SessionId => name as SessionId; // any plain name is one

export function messageId(number: number): MessageId {
  return `msg_${String(number).padStart(12, '0')}` as MessageId; // in the form of the contract
}

export function callId(number: number): CallId {
  return `call_${String(number).padStart(12, '0')}` as CallId; // in the form of the contract
}

export function session(change: Partial<Session> = {}): Session {
  return {
    id: sessionId('one'), title: 'A chat', titled: true, origin: 'user', status: 'idle', cwd: '/home/ada/project', backend: 'local', model: null, toolsets: {},
    createdAt: START, updatedAt: START, deletedAt: null, messageCount: 0, waiting: 0, usage: { promptTokens: 0, completionTokens: 0, requests: 0 }, ...change,
  };
}

export function message(number: number, change: Partial<Message> = {}): Message {
  return {
    id: messageId(number), sessionId: sessionId('one'), seq: number, turn: 1, role: 'user', text: `message ${number}`, reasoning: '', state: 'complete', error: null,
    model: null, createdAt: START + number * 1_000, endedAt: START + number * 1_000, calls: [], ...change,
  };
}

export function toolCall(number: number, change: Partial<ToolCall> = {}): ToolCall {
  return {
    id: callId(number), messageId: messageId(1), sessionId: sessionId('one'), modelCallId: `model_${number}`, name: 'terminal', emoji: '💻',
    arguments: '{"command":"true"}', state: 'done', repairs: [], startedAt: START, endedAt: START + 1_000, exitCode: null, result: null, resultChars: 0,
    approvalId: null, terminalId: null, ...change,
  };
}

export function opened(change: Partial<OpenedSession> = {}): OpenedSession {
  return { session: session(), messages: [], more: false, questions: [], todos: [], running: true, seq: 0, ...change };
}
