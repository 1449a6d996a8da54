/**
 * What each chat has read: answers repeated reads shortly, stops read loops and notices files that changed underneath
 * (hermes-runtime 7.1). Kept in memory only; bounded.
 */
import { createHash } from 'node:crypto';

const MAX_CHATS = 200;
const MAX_FILES_PER_CHAT = 2_000;
/** Identical calls in a row: the third warns, the fourth is refused. */
const WARN_AT = 3;
const BLOCK_AT = 4;

interface FileSeen { readonly fingerprint: string; readonly ranges: Map<string, 'read' | 'told'> }

class ChatReads {
  readonly files = new Map<string, FileSeen>();
  lastCall = '';
  repeats = 0;
}

const chats = new Map<string, ChatReads>();
/** Last writer of a path over all chats, to tell a sibling's write from the chat's own. */
const writers = new Map<string, string>();

function readsOf(chat: string): ChatReads {
  let reads = chats.get(chat);
  if (reads === undefined) {
    reads = new ChatReads();
    chats.set(chat, reads);
    const oldest = chats.keys().next();
    if (chats.size > MAX_CHATS && oldest.done !== true) chats.delete(oldest.value);
  }
  return reads;
}

/** Tells one state of a file from another; the content counts, since a clock tick can hide a quick edit. */
export function fingerprintOf(bytes: Uint8Array): string {
  return createHash('sha1').update(bytes).digest('base64');
}

/** Counts identical calls in a row. */
export function countRepeat(chat: string, call: string): 'fine' | 'warn' | 'block' {
  const reads = readsOf(chat);
  reads.repeats = reads.lastCall === call ? reads.repeats + 1 : 1;
  reads.lastCall = call;
  if (reads.repeats >= BLOCK_AT) return 'block';
  return reads.repeats >= WARN_AT ? 'warn' : 'fine';
}

/** Any tool other than read_file and search_files ends a row of identical calls. */
export function endRepeats(chat: string): void {
  const reads = chats.get(chat);
  if (reads !== undefined) { reads.repeats = 0; reads.lastCall = ''; }
}

/** `new`: give the content. `unchanged`: it was given before. `told`: and that was said before, too. */
export function noteRead(chat: string, path: string, range: string, fingerprint: string): 'new' | 'unchanged' | 'told' {
  const { files } = readsOf(chat);
  let seen = files.get(path);
  if (seen?.fingerprint !== fingerprint) {
    seen = { fingerprint, ranges: new Map() };
    files.delete(path);
    files.set(path, seen);
    const oldest = files.keys().next();
    if (files.size > MAX_FILES_PER_CHAT && oldest.done !== true) files.delete(oldest.value);
  }
  const before = seen.ranges.get(range);
  seen.ranges.set(range, before === undefined ? 'read' : 'told');
  if (before === undefined) return 'new';
  return before === 'read' ? 'unchanged' : 'told';
}

/** After a write: earlier reads of the path count no longer, and the chat knows the new state. */
export function noteWrite(chat: string, path: string, fingerprint: string): void {
  readsOf(chat).files.set(path, { fingerprint, ranges: new Map() });
  writers.set(path, chat);
  const oldest = writers.keys().next();
  if (writers.size > MAX_FILES_PER_CHAT && oldest.done !== true) writers.delete(oldest.value);
}

/** A warning when the file is not as this chat last saw it. */
export function staleWarning(chat: string, path: string, current: string): string | undefined {
  const seen = chats.get(chat)?.files.get(path);
  if (seen === undefined || seen.fingerprint === current) return undefined;
  const writer = writers.get(path);
  return writer !== undefined && writer !== chat
    ? 'Another agent wrote this file after you last read it; read it again to be sure of its content.'
    : 'This file changed on disk after you last read it; read it again to be sure of its content.';
}

/** Forget what all tasks of a chat have read: its context was trimmed, so the content may not be before the model any more. */
export function forgetReads(sessionId: string): void {
  for (const chat of chats.keys()) if (chat.startsWith(`${sessionId}/`)) chats.delete(chat);
}

const queues = new Map<string, Promise<unknown>>();

/** Runs `work` while no other write of the same path runs. */
export async function withPathLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  const before = queues.get(path) ?? Promise.resolve();
  const mine = before.then(work, work);
  const settled = mine.then(() => undefined, () => undefined);
  queues.set(path, settled);
  try {
    return await mine;
  } finally {
    if (queues.get(path) === settled) queues.delete(path);
  }
}
