/** A chat as one text to keep: Markdown to be read, JSON to be read by programs. Pure. */
import type { Session } from '../../preload/contract/sessions.ts';
import { parseObject } from '../agent/commands.ts';
import type { Storage } from '../ports.ts';

type Transcript = ReturnType<Storage['messages']['transcript']>;
type Entry = Transcript[number];
type Call = Entry['calls'][number];

export type ExportFormat = 'markdown' | 'json';
export interface ChatExport { readonly fileName: string; readonly text: string }

const ENDINGS = { markdown: 'md', json: 'json' } as const;
/** Longest title in a file name. */
const NAME_CHARS = 60;

/** `hide` takes known secrets out of each text; `now` in ms names the file's day. */
export function exportChat(session: Session, messages: Transcript, format: ExportFormat, { hide, now }: { readonly hide: (text: string) => string; readonly now: number }): ChatExport {
  const title = hide(session.title);
  const name = title.normalize('NFKC').replaceAll(/[^\p{L}\p{N}]+/gu, '-').slice(0, NAME_CHARS).replaceAll(/^-+|-+$/g, '').toLowerCase();
  return {
    fileName: `${name === '' ? 'chat' : name}-${moment(now).slice(0, 10)}.${ENDINGS[format]}`,
    text: format === 'json' ? asJson(session, messages, hide) : asMarkdown({ ...session, title }, messages, hide),
  };
}

/** `2026-11-30 14:02:05 UTC`. */
const moment = (at: number): string => `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
const iso = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString());

function asJson(session: Session, messages: Transcript, hide: (text: string) => string): string {
  const hidden = (text: string | null): string | null => (text === null ? null : hide(text));
  const argumentsOf = (text: string): unknown => {
    const clean = hide(text);
    const read = parseObject(clean === '' ? '{}' : clean);
    return read.kind === 'object' ? read.value : clean;
  };
  return `${JSON.stringify({
    format: 'talaria-chat', version: 1,
    chat: {
      id: session.id, title: hide(session.title), origin: session.origin, cwd: session.cwd, backend: session.backend, model: session.model, createdAt: iso(session.createdAt), updatedAt: iso(session.updatedAt), usage: session.usage,
    },
    messages: messages.map(({ id, role, state, text, reasoning, error, model, createdAt, endedAt, calls, attachments = [] }) => ({
      id, role, state, text: hide(text), reasoning: hide(reasoning), error: error === null ? null : { ...error, message: hide(error.message) }, model, createdAt: iso(createdAt), endedAt: iso(endedAt),
      ...(attachments.length === 0 ? {} : { attachments: attachments.map(({ name, type, bytes }) => ({ name: hide(name), type, bytes })) }),
      calls: calls.map((call) => ({
        id: call.id, name: call.name, arguments: argumentsOf(call.arguments), state: call.state, repairs: call.repairs.map(hide), exitCode: call.exitCode, startedAt: iso(call.startedAt), endedAt: iso(call.endedAt), result: hidden(call.fullResult ?? call.result),
      })),
    })),
  }, null, 2)}\n`;
}

function asMarkdown(session: Session, messages: Transcript, hide: (text: string) => string): string {
  const facts = [`Chat ${session.id}, begun ${moment(session.createdAt)}`, `Folder: ${session.cwd} (${session.backend})`, ...(session.model === null ? [] : [`Model: ${session.model}`])];
  const parts = [`# ${session.title.replaceAll(/\s+/g, ' ')}`, facts.map((fact) => `- ${hide(fact)}`).join('\n'), ...messages.flatMap((message) => entry(message, hide))];
  return `${parts.join('\n\n')}\n`;
}

const WHO = { user: 'You', assistant: 'Reply', notice: 'Notice' } as const;

function entry(message: Entry, hide: (text: string) => string): string[] {
  const { role, state, text, reasoning, error, model, createdAt, calls, attachments = [] } = message;
  if (role === 'notice') return [hide(text).split('\n').map((line) => `> ${line}`).join('\n')];
  const about = [moment(createdAt), ...(model === null ? [] : [model]), ...(state === 'complete' ? [] : [state])];
  return [
    `## ${WHO[role]} (${about.join(', ')})`,
    ...(reasoning.trim() === '' ? [] : [`<details><summary>Reasoning</summary>\n\n${fenced(hide(reasoning))}\n\n</details>`]),
    ...(text.trim() === '' ? [] : [hide(text)]),
    ...(attachments.length === 0 ? [] : [attachments.map(({ name, type, bytes }) => `- Attached: ${hide(name)} (${type ?? 'unknown type'}, ${String(bytes)} bytes)`).join('\n')]),
    ...calls.flatMap((call) => toolCall(call, hide)),
    ...(error === null ? [] : [`> ${hide(error.message).replaceAll('\n', ' ')}`]),
  ];
}

function toolCall({ name, arguments: args, state, exitCode, result, fullResult }: Call, hide: (text: string) => string): string[] {
  const answer = fullResult ?? result;
  const read = parseObject(args === '' ? '{}' : args);
  const asked = read.kind === 'object' ? JSON.stringify(read.value, null, 2) : args;
  return [`### Tool \`${name}\`: ${state}${exitCode === null ? '' : `, exit code ${String(exitCode)}`}`, fenced(hide(asked), 'json'), ...(answer === null ? [] : [fenced(hide(answer))])];
}

/** A code block that nothing in it can end. */
function fenced(text: string, language = ''): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text.replace(/\n$/, '')}\n${fence}`;
}
