/**
 * A page full of everything a chat can show, on `window.talaria` without a host: for looking at, and for checking contrast and roles in
 * states that a real turn passes through in a blink. `?scene=empty|long|all` picks one.
 */
import type { ApprovalId, ApprovalRequest, Message, Session, TerminalId, ToolsetInfo } from '../../../preload/contract/index.ts';
import { memoryTalaria } from './memory-talaria.ts';
import { callId, message, messageId, session, sessionId, toolCall } from './records.ts';

const NOW = Date.now();
const HOUR = 3_600_000;
const APPROVAL = 'apr_000000000001' as ApprovalId; // in the form of the contract
const TERMINAL = 'trm_000000000001' as TerminalId; // in the form of the contract
const scene = new URLSearchParams(location.search).get('scene') ?? 'all';

const sessions: Session[] = scene === 'empty' || scene === 'no-model' ? [] : [
  session({ id: sessionId('one'), title: 'Find out why the build is slow', status: 'waiting', waiting: 1, updatedAt: NOW - 60_000, usage: { promptTokens: 48_210, completionTokens: 3_902, requests: 11 } }),
  session({ id: sessionId('two'), title: 'Weekly report from the mail folder', status: 'running', updatedAt: NOW - 5 * 60_000 }),
  session({ id: sessionId('three'), title: 'Guided tour', origin: 'tour', updatedAt: NOW - 2 * HOUR }),
  session({ id: sessionId('four'), title: 'Nightly backup check', origin: 'cron', updatedAt: NOW - 30 * HOUR }),
  session({ id: sessionId('five'), title: 'A very long title that says a great deal about what is wanted and does not stop', updatedAt: NOW - 80 * HOUR }),
  session({ id: sessionId('six'), title: 'New chat', titled: false, updatedAt: NOW - 400 * HOUR }),
];

const ANSWER = `The build spends most of its time in **type checking**. Three things stand out:

1. \`tsc\` runs twice, once for the bundle and once for the declarations.
2. The cache folder is deleted before each run, see \`scripts/build.mjs\`.
3. Source maps are made for tests too.

\`\`\`ts
// scripts/build.mjs
export async function build(options: { readonly clean: boolean }): Promise<number> {
  if (options.clean) await rm('dist', { recursive: true }); // costs 11 s
  const started = performance.now();
  return performance.now() - started;
}
\`\`\`

| Step | Before | After |
|---|---|---|
| types | 21.4 s | 9.8 s |
| bundle | 8.0 s | 7.9 s |

> The second run can be dropped without losing anything.

See [the handbook](https://www.typescriptlang.org/docs/handbook/project-references.html) on project references, and this picture: ![a chart](https://example.com/chart.png)`;

const all: Message[] = [
  message(1, { text: 'The build takes 34 seconds. Find out why, and make it faster if that is easy.', createdAt: NOW - 9 * 60_000 }),
  message(2, {
    role: 'assistant', text: 'I will time the steps first, and look at how they are started.', reasoning: 'The user wants a faster build. I should measure before changing anything.',
    createdAt: NOW - 8 * 60_000, model: 'qwen3-coder:30b',
    calls: [
      toolCall(1, { messageId: messageId(2), arguments: JSON.stringify({ command: 'time npm run build' }), exitCode: 0, terminalId: TERMINAL, startedAt: NOW - 480_000, endedAt: NOW - 446_000, result: JSON.stringify({ output: '> build\n> node scripts/build.mjs\n\nreal 0m34.1s\nuser 0m51.0s', exit_code: 0, error: null }), resultChars: 80 }),
      toolCall(2, { messageId: messageId(2), name: 'read_file', emoji: '📖', arguments: JSON.stringify({ path: 'scripts/build.mjs' }), endedAt: toolCall(2).startedAt! + 14, result: JSON.stringify({ content: 'import { rm } from "node:fs/promises";', total_lines: 1 }), resultChars: 120_000, repairs: ['limit was "50", a text; it is now the number 50.'] }),
      toolCall(3, { messageId: messageId(2), name: 'search_files', emoji: '🔎', arguments: JSON.stringify({ pattern: 'tsc -p' }), state: 'error', result: JSON.stringify({ error: 'rg: unrecognized flag --foo' }), resultChars: 40 }),
    ],
  }),
  message(3, { role: 'assistant', text: ANSWER, createdAt: NOW - 6 * 60_000, model: 'qwen3-coder:30b' }),
  message(4, { role: 'notice', text: 'The chat was shortened: 42 older messages were summed up for the model. They are still here for you.' }),
  message(5, { text: '!git status --short', createdAt: NOW - 5 * 60_000 }),
  message(6, { role: 'assistant', text: '', calls: [toolCall(4, { messageId: messageId(6), arguments: JSON.stringify({ command: 'git status --short' }), exitCode: 128, result: JSON.stringify({ output: 'fatal: not a git repository', exit_code: 128, error: null }), resultChars: 40 })] }),
  message(7, { text: 'Then clean up the old output, and run the tests.', createdAt: NOW - 3 * 60_000 }),
  message(8, {
    role: 'assistant', text: 'Both can be done at once.', state: 'streaming', createdAt: NOW - 60_000,
    calls: [
      toolCall(5, { messageId: messageId(8), arguments: JSON.stringify({ command: 'rm -rf dist/old && rm -rf ~/.cache/build' }), state: 'waiting', approvalId: APPROVAL, startedAt: null, endedAt: null }),
      toolCall(6, { messageId: messageId(8), arguments: JSON.stringify({ command: 'npm test' }), state: 'running', terminalId: TERMINAL, startedAt: NOW - 42_000, endedAt: null }),
      toolCall(7, { messageId: messageId(8), name: 'clarify', emoji: '❓', arguments: JSON.stringify({ question: 'Keep the source maps of the tests?' }), state: 'running', startedAt: NOW - 20_000, endedAt: null }),
      toolCall(8, { messageId: messageId(8), name: 'web_extract', emoji: '🌐', arguments: JSON.stringify({ urls: ['https://example.com/a'] }), state: 'blocked', result: JSON.stringify({ error: 'The address is private: 10.0.0.1' }), resultChars: 50 }),
    ],
  }),
  message(9, { text: 'And tell me how many tests there are', state: 'queued' }),
];

const failed: Message[] = [
  message(1, { sessionId: sessionId('two'), text: 'Write the weekly report' }),
  message(2, { sessionId: sessionId('two'), role: 'assistant', text: 'I begin with', state: 'error', error: { code: 'model/refused', message: 'Nothing answers at http://127.0.0.1:11434.', hint: 'Is Ollama running? Start it with `ollama serve`.' } }),
];

const long: Message[] = Array.from({ length: 5_000 }, (_, index) => message(index + 1, index % 2 === 0
  ? { text: `Question ${index + 1}: how does part ${index} work?` }
  : { role: 'assistant', text: `Part ${index} works like this:\n\n- it reads **input ${index}**\n- it writes \`output\`\n\n\`\`\`py\nprint(${index})\n\`\`\`` }));

const approval: ApprovalRequest = {
  id: APPROVAL, sessionId: sessionId('one'), sessionTitle: 'Find out why the build is slow', callId: callId(5), tool: 'terminal',
  command: 'rm -rf dist/old && rm -rf ~/.cache/build', cwd: '/home/ada/project', backend: 'local', host: 'workbench', user: 'ada',
  review: {
    verdict: 'ask',
    findings: [{ key: 'recursive delete', description: 'recursive delete', class: 'delete', effect: 'deletes dist/old and everything below', start: 0, end: 15, tier: 'danger' }],
    parts: [
      { text: 'rm -rf dist/old', argv: ['rm', '-rf', 'dist/old'], start: 0, end: 15, depth: 0, verdict: 'ask' },
      { text: 'rm -rf ~/.cache/build', argv: ['rm', '-rf', '~/.cache/build'], start: 19, end: 40, depth: 0, verdict: 'ask' },
    ],
  },
  reason: 'Deletes folders with everything below them.', wants: 'Old output slows down the scan.', state: 'delivered', createdAt: NOW - 30_000, expiresAt: NOW + 270_000,
  allowSession: true, allowAlways: true, alwaysEntries: ['recursive delete'],
};

const toolset = (name: string, change: Partial<ToolsetInfo>): ToolsetInfo => ({
  name, description: `Tools of ${name}`, tools: [{ name: `${name}_tool`, emoji: '', description: 'Does one thing.', parameters: {}, tokens: 210, available: true }],
  enabled: true, enabledByDefault: true, inChat: null, available: true, reason: null, checkedAt: NOW, tokens: 210, uses30d: 4, ...change,
});

function messagesOf(id: string): Message[] {
  if (scene === 'long') return long;
  return id === 'one' ? all : id === 'two' ? failed : [];
}

/** After the answer to `sessions.open` is drawn. */
const OUTPUT_AFTER_MS = 100;

function emitOutput(): void {
  talaria.emit('chat', {
    type: 'call-output', sessionId: sessionId('one'), seq: 2, callId: callId(6),
    tail: Array.from({ length: 12 }, (_, index) => ` ✓ test/unit/part-${index}.test.ts (${index + 3} tests) ${index * 7 + 12}ms`).join('\n'),
  });
}

const talaria = memoryTalaria({
  'checkpoints.list': () => [],
  'sandbox.get': () => ({ mode: 'workspace-write', network: false, own: true }),
  'host.info': () => ({ version: '0.1.0', shell: 'test', platform: 'linux', home: '/home/ada/.hermes', cwd: '/home/ada', user: 'ada', host: 'workbench', warnings: [] }),
  'host.doctor': () => [],
  'host.openLink': () => ({}),
  'sessions.list': () => sessions,
  'sessions.create': () => session({ id: sessionId('new-one'), title: 'New chat', titled: false }),
  'sessions.open': ({ sessionId: id, limit = 100 }) => {
    if (id === 'one') setTimeout(emitOutput, OUTPUT_AFTER_MS);
    const messages = messagesOf(id);
    return {
      session: sessions.find((known) => known.id === id) ?? session({ id: sessionId(id) }), messages: messages.slice(-limit), more: messages.length > limit,
      questions: id === 'one' ? [{ callId: callId(7), sessionId: sessionId('one'), question: 'Keep the source maps of the tests?', choices: ['Keep them', 'Drop them'], createdAt: NOW }] : [],
      running: id === 'one', todos: id === 'one' ? [
        { id: '1', content: 'Time the steps', status: 'completed' }, { id: '2', content: 'Clean the old output', status: 'in_progress' }, { id: '3', content: 'Run the tests', status: 'pending' },
      ] : [],
      seq: 1,
    };
  },
  'sessions.messages': ({ sessionId: id, before, limit }) => {
    const older = messagesOf(id).filter((entry) => entry.seq < before);
    return { messages: older.slice(-limit), more: older.length > limit };
  },
  'sessions.search': ({ query }) => [{ sessionId: sessionId('one'), sessionTitle: 'Find out why the build is slow', messageId: messageId(3), role: 'assistant', snippet: `spends most of its >>>${query}<<< in type checking`, createdAt: NOW }],
  'approvals.list': () => (scene === 'all' ? [approval] : []),
  'approvals.history': () => [],
  'approvals.seen': () => ({}),
  'allowlist.list': () => [],
  'terminals.list': () => (scene === 'all' ? [{
    id: TERMINAL, kind: 'foreground', mode: 'pty', sessionId: sessionId('one'), callId: callId(6), title: 'npm test', command: 'npm test', cwd: '/home/ada/project', backend: 'local', state: 'running',
    pid: 4_242, exitCode: null, signal: null, ended: null, startedAt: NOW - 42_000, endedAt: null, cols: 80, rows: 24, driver: 'agent', readOnly: false, secretInput: false, fullScreen: false, bytes: 900,
  }] : []),
  'terminals.text': () => ({ text: 'running 42 tests', path: null }),
  'processes.list': () => [],
  'toolsets.list': () => [
    toolset('terminal', { tokens: 1_220 }), toolset('file', { tokens: 2_040 }),
    toolset('web', { available: false, reason: { step: 'missing-variable', message: 'TAVILY_API_KEY is not set', fix: 'Put it into ~/.hermes/.env' } }), toolset('memory', { enabled: false, inChat: false }),
  ],
  'models.current': () => (scene === 'no-model' ? null : { name: 'default', baseUrl: 'http://127.0.0.1:11434/v1', model: 'qwen3-coder:30b', hasKey: false, source: 'config.yaml', contextTokens: 32_768 }),
  'models.discover': () => [{ name: 'Ollama', baseUrl: 'http://127.0.0.1:11434/v1', models: ['qwen3-coder:30b', 'llama3.2:3b'] }],
  'models.list': () => ['qwen3-coder:30b', 'llama3.2:3b'],
  'models.test': () => [
    { step: 'reach', state: 'ok', message: 'The server answers.', durationMs: 4 }, { step: 'reply', state: 'ok', message: 'It replied with “ready”.', durationMs: 812 },
    { step: 'stream', state: 'ok', message: 'The reply came in 6 pieces.', durationMs: 640 },
    { step: 'tool-call', state: 'failed', code: 'model/no-tools', message: 'The model answered in words instead of calling the tool.', hint: 'Pick a model that can call tools.', durationMs: 1_210 },
  ],
  'settings.get': () => ({
    approvals: { mode: 'manual', timeoutSeconds: 300, deny: [] }, terminal: { backend: 'local', cwd: '/home/ada', timeoutSeconds: 180, sandbox: 'off', sandboxNetwork: true }, terminalView: { fontSize: 13, screenReader: false, followNewest: true }, maxIterations: 90, model: { vision: 'auto' }, redactSecrets: true,
    theme: (['light', 'dark'] as const).find((theme) => theme === new URLSearchParams(location.search).get('theme')) ?? 'system', problem: null,
  }),
});

Object.defineProperty(window, 'talaria', { value: talaria });
