/**
 * The built-in script: a tiny stand-in for a model that does what a plain request says. It reads the files and runs the
 * commands named in backticks, then tells what came back. Deterministic, so end-to-end tests can say what they expect.
 */
import type { ChatBody, ChatMessage, RecordedRequest, Reply, ScriptedCall } from './types.ts';

function contentText(message: ChatMessage): string {
  if (typeof message.content === 'string') return message.content;
  if (!Array.isArray(message.content)) return '';
  return message.content.map((part: unknown) => (isTextPart(part) ? part.text : '')).join('');
}

function isTextPart(part: unknown): part is { text: string } {
  return typeof part === 'object' && part !== null && 'text' in part && typeof part.text === 'string';
}

/** `read` takes every backticked word without blanks before the first "run"; `run` every backticked text after one. */
function wishes(prompt: string): ScriptedCall[] {
  const calls: ScriptedCall[] = [];
  let verb: 'none' | 'read' | 'run' = 'none';
  for (const [token, quoted] of prompt.matchAll(/`([^`]+)`|\b(?:read|show|run|execute)\b/gi)) {
    if (quoted === undefined) verb = /^(?:read|show)$/i.test(token) ? 'read' : 'run';
    else if (verb === 'read') calls.push({ name: 'read_file', arguments: { path: quoted } });
    else if (verb === 'run') calls.push({ name: 'terminal', arguments: { command: quoted, ...(/\bbackground\b/i.test(prompt) ? { background: true } : {}) } });
  }
  return calls;
}

/** What a tool message says, in one line. */
function told(message: ChatMessage): string {
  const text = contentText(message);
  const line = text.length > 400 ? `${text.slice(0, 400)}…` : text;
  return line.replaceAll('\n', ' ');
}

function offered(body: ChatBody): Set<string> {
  return new Set((body.tools ?? []).map((tool) => tool.function.name));
}

/** Calls of one kind at a time: all reads in one message (they may run side by side), then each command in its own. */
export function defaultScript({ body, index }: RecordedRequest): Reply {
  const lastUser = body.messages.findLastIndex((message) => message.role === 'user');
  const prompt = lastUser < 0 ? '' : contentText(body.messages[lastUser] ?? { role: 'user' });
  const since = body.messages.slice(lastUser + 1);
  const results = since.filter((message) => message.role === 'tool');
  const tools = offered(body);
  const open = wishes(prompt).filter((call) => tools.has(call.name)).slice(results.length);
  const usage = { prompt: 100 + index, completion: 20 };
  if (open.length === 0) {
    return results.length === 0
      ? { text: `You said: ${prompt.slice(0, 200)}`, usage }
      : { text: `Done. ${results.map((message, number) => `Result ${number + 1}: ${told(message)}`).join(' ')}`, usage };
  }
  const reads = open.findIndex((call) => call.name !== 'read_file');
  const calls = reads === 0 ? open.slice(0, 1) : open.slice(0, reads < 0 ? open.length : reads);
  return { text: calls[0]?.name === 'read_file' ? 'Reading first. ' : 'Running it now. ', calls, usage };
}
