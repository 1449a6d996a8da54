/** Records with every field set, for tests of what is stored. Overrides say what a test is about. */
import { createIds } from '../../main/ids.ts';
import type { ApprovalRequest, Message, Session, Terminal, ToolCall } from '../../preload/contract/index.ts';
import type { MessageId, SessionId } from '../../preload/contract/ids.ts';

export const ids = createIds();

export function aSession(change: Partial<Session> = {}): Session {
  return {
    id: ids.session(), title: 'A chat', titled: false, origin: 'user', status: 'idle', cwd: '/srv/app', backend: 'local', model: null, toolsets: {},
    createdAt: 1_000, updatedAt: 1_000, deletedAt: null, messageCount: 0, waiting: 0, usage: { promptTokens: 0, completionTokens: 0, requests: 0 }, ...change,
  };
}

export function aMessage(sessionId: SessionId, change: Partial<Omit<Message, 'seq' | 'calls'>> = {}): Omit<Message, 'seq' | 'calls'> {
  return {
    id: ids.message(), sessionId, turn: 1, role: 'user', text: 'hello', reasoning: '', state: 'complete', error: null, model: null,
    createdAt: 1_000, endedAt: 1_000, ...change,
  };
}

export function aCall(sessionId: SessionId, messageId: MessageId, change: Partial<ToolCall> = {}): ToolCall {
  return {
    id: ids.call(), messageId, sessionId, modelCallId: 'call_0', name: 'terminal', emoji: '💻', arguments: '{"command":"ls"}', state: 'pending', repairs: [],
    startedAt: null, endedAt: null, exitCode: null, result: null, resultChars: 0, approvalId: null, terminalId: null, ...change,
  };
}

export function anApproval(sessionId: SessionId, change: Partial<ApprovalRequest> = {}): ApprovalRequest {
  return {
    id: ids.approval(), sessionId, sessionTitle: 'A chat', tool: 'terminal', command: 'rm -rf build', cwd: '/srv/app', backend: 'local', host: 'here', user: 'me',
    review: { verdict: 'ask', findings: [], parts: [] }, reason: 'recursive delete', state: 'created', createdAt: 1_000, expiresAt: 301_000,
    allowSession: true, allowAlways: true, alwaysEntries: ['recursive delete'], ...change,
  };
}

export function aTerminal(change: Partial<Terminal> = {}): Terminal {
  return {
    id: ids.terminal(), kind: 'foreground', mode: 'pty', sessionId: null, callId: null, title: 'ls', command: 'ls', cwd: '/', backend: 'local', state: 'running',
    pid: 1, exitCode: null, signal: null, ended: null, startedAt: 1_000, endedAt: null, cols: 80, rows: 24, driver: 'agent', readOnly: false, secretInput: false,
    fullScreen: false, bytes: 0, ...change,
  };
}
