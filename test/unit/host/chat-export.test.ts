import { describe, expect, test } from 'vitest';
import { exportChat, type ExportFormat } from '../../../main/host/chat-export.ts';
import { SessionId, type Message } from '../../../preload/contract/index.ts';
import { aCall, aMessage, aSession } from '../../support/stored.ts';

const session = aSession({ id: SessionId.parse('ses_0000000000000000'), title: 'Fix: the *build* / tests!', model: 'scripted' });
const message = (change: Partial<Message>, calls: Parameters<typeof exportChat>[1][number]['calls'] = []) => ({ ...aMessage(session.id, change), seq: 1, calls });
const hide = (text: string): string => text.replaceAll('s3cret', '[hidden]');
const now = Date.UTC(2026, 10, 30, 14, 2);
const write = (format: ExportFormat, messages: Parameters<typeof exportChat>[1]) => exportChat(session, messages, format, { hide, now });
const asked = message({ text: 'Why does it fail? s3cret' });
const call = { ...aCall(asked.sessionId, asked.id, { name: 'terminal', arguments: '{"command":"echo s3cret"}', state: 'done', exitCode: 1, result: 'cut' }), fullResult: 'a ```` fence\ns3cret' };
const answered = message({ role: 'assistant', text: 'Because of **this**.', reasoning: 'Let me see.', model: 'scripted' }, [call]);

describe('a chat as Markdown', () => {
  test('reads like the chat, whole results in fences that nothing in them ends', () => {
    const { fileName, text } = write('markdown', [asked, answered, message({ role: 'notice', text: 'Stopped.\nTwice.' }), message({ role: 'assistant', text: '', state: 'error', error: { code: 'model/server', message: 'It broke.' } })]);
    expect(fileName).toBe('fix-the-build-tests-2026-11-30.md');
    expect(text).toMatch(/^# Fix: the \*build\* \/ tests!\n\n- Chat ses_0000000000000000, begun 1970-01-01 00:00:01 UTC\n- Folder: \/srv\/app \(local\)\n- Model: scripted\n\n## You \(1970-01-01 00:00:01 UTC\)\n\nWhy does it fail\? \[hidden\]/);
    expect(text).toContain('### Tool `terminal`: done, exit code 1\n\n```json\n{\n  "command": "echo [hidden]"\n}\n```\n\n`````\na ```` fence\n[hidden]\n`````');
    expect(text).toContain('<summary>Reasoning</summary>\n\n```\nLet me see.\n```');
    expect(text).toContain('> Stopped.\n> Twice.');
    expect(text.endsWith('error)\n\n> It broke.\n')).toBe(true);
    expect(text).not.toContain('s3cret');
  });

  test('a title of signs only still names a file', () => {
    expect(exportChat({ ...session, title: '/// …' }, [], 'markdown', { hide, now }).fileName).toBe('chat-2026-11-30.md');
  });
});

test('a chat as JSON holds everything under its name, times in ISO, arguments as values, and no secret', () => {
  const { fileName, text } = write('json', [asked, answered]);
  expect(fileName).toBe('fix-the-build-tests-2026-11-30.json');
  expect(JSON.parse(text)).toMatchObject({
    format: 'talaria-chat', version: 1, chat: { id: 'ses_0000000000000000', createdAt: '1970-01-01T00:00:01.000Z' },
    messages: [{ role: 'user', text: 'Why does it fail? [hidden]', calls: [] }, { role: 'assistant', reasoning: 'Let me see.', calls: [{ name: 'terminal', arguments: { command: 'echo [hidden]' }, exitCode: 1, result: 'a ```` fence\n[hidden]' }] }],
  });
  expect(text).not.toContain('s3cret');
});
