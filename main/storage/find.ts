/** Finding words in one chat as a person reads it: by letters, not by the index, because part of a word must be found too. */
import type { Database } from 'better-sqlite3';
import type { CallId, FoundInChat, MessageId } from '../../preload/contract/index.ts';
import type { Storage } from '../storage-port.ts';

/** More places than anybody steps through. */
const MOST_PLACES = 5_000;
const MOST_WORDS = 40;

interface MessageRow { id: MessageId; seq: number; text: string }
interface CallRow { id: CallId; message_id: MessageId; seq: number; text: string }

/** What escapes of JSON stand for, as the cards show arguments and results. */
const ESCAPED: ReadonlyMap<string, string> = new Map([['n', '\n'], ['t', '\t'], ['r', '\r'], ['"', '"'], ['\\', '\\'], ['/', '/']]);
const unescaped = (text: string): string => (text.includes('\\') ? text.replaceAll(/\\([ntr"\\/])/g, (all, letter: string) => ESCAPED.get(letter) ?? all) : text);

const escaped = (word: string): string => word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Marks of emphasis and code stand in a message where a person reads none: between words they do not count. Undefined when there is nothing to look for. */
export function finder(query: string): ((text: string) => number) | undefined {
  const words = query.split(/\s+/u).filter((word) => word !== '').slice(0, MOST_WORDS);
  if (words.length === 0) return undefined;
  const pattern = new RegExp(words.map(escaped).join('[*_~`]{0,3}\\s+(?:[-+*>#|]{1,6}\\s+)?[*_~`]{0,3}'), 'giu');
  const plain = words.map((word) => word.toLowerCase());
  return (text) => {
    const lower = text.toLowerCase();
    if (!plain.every((word) => lower.includes(word))) return 0;
    let times = 0;
    for (const _match of text.matchAll(pattern)) times += 1;
    return times;
  };
}

export function findStore(database: Database): Storage['messages']['find'] {
  const messages = database.prepare<[string], MessageRow>("SELECT id, seq, text FROM messages WHERE session_id = ? AND state <> 'queued' AND text <> '' ORDER BY seq");
  const calls = database.prepare<[string], CallRow>(`SELECT calls.id, calls.message_id, messages.seq, calls.name || char(10) || calls.arguments || char(10) || coalesce(calls.result, '') AS text
    FROM messages JOIN calls ON calls.message_id = messages.id WHERE messages.session_id = ? ORDER BY messages.seq, calls.number`);

  return (sessionId, query) => {
    const count = finder(query);
    if (count === undefined) return { places: [], more: false };
    const found: { readonly seq: number; readonly place: FoundInChat['places'][number] }[] = [];
    for (const { id, seq, text } of messages.iterate(sessionId)) {
      const times = count(text);
      if (times > 0) found.push({ seq, place: { messageId: id, times } });
    }
    for (const { id, message_id: messageId, seq, text } of calls.iterate(sessionId)) {
      if (count(unescaped(text)) > 0) found.push({ seq, place: { messageId, callId: id, times: 1 } });
    }
    // Stable: the words of a message stand before its calls.
    found.sort((left, right) => left.seq - right.seq);
    return { places: found.slice(0, MOST_PLACES).map(({ place }) => place), more: found.length > MOST_PLACES };
  };
}
