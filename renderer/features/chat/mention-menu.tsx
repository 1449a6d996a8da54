import { useEffect, useState } from 'react';
import type { FileMatches, SessionId } from '../../../preload/contract/index.ts';
import { bridge, toErrorShape } from '../../bridge.ts';
import { CompletionList, useCompletion } from './completion.tsx';
import type { Completion } from './completion.tsx';
import { mentionAt, withMention } from './mentions.ts';

/** A list that takes longer is said to be on its way. */
const SLOW_MS = 400;
/** Matches, and of which `@` they are: a new one does not begin with those of the last. */
interface Found extends FileMatches { readonly of: number | undefined }
const NOTHING: Found = { paths: [], note: null, of: undefined };

export interface MentionMenuState extends Completion {
  readonly note: string | undefined;
}

/** What `@` offers: files and folders of the chat's folder. `caret` is undefined where nothing can be named, as in a command. */
export function useMentionMenu(sessionId: SessionId | undefined, text: string, caret: number | undefined, onText: (text: string, caret: number) => void): MentionMenuState {
  const begun = caret === undefined ? undefined : mentionAt(text, caret);
  const query = begun?.query;
  const start = begun?.start;
  const [last, setLast] = useState<Found>(NOTHING);
  const found = last.of === start ? last : NOTHING;
  useEffect(() => {
    if (query === undefined) return;
    let current = true;
    const slow = setTimeout(() => { setLast((shown) => (shown.of === start && shown.paths.length > 0 ? shown : { paths: [], note: 'Listing files…', of: start })); }, SLOW_MS);
    bridge.request('composer.files', sessionId === undefined ? { query } : { sessionId, query }).then(
      (matches) => { if (current) setLast({ ...matches, of: start }); },
      (error: unknown) => { if (current) setLast({ paths: [], note: toErrorShape(error).message, of: start }); },
    ).finally(() => { clearTimeout(slow); });
    return () => {
      current = false;
      clearTimeout(slow);
    };
  }, [sessionId, query, start]);
  /** A file that is written out is chosen already: Enter sends. */
  const isDone = query !== undefined && !query.endsWith('/') && found.paths.includes(query);
  const choices = begun === undefined || isDone ? [] : found.paths.filter((path) => path !== query).map((path) => {
    const nameAt = path.lastIndexOf('/', path.length - 2) + 1;
    return {
      id: path, label: path.slice(nameAt), description: path.slice(0, nameAt),
      choose: () => {
        const next = withMention(text, begun, path);
        onText(next.text, next.caret);
      },
    };
  });
  return { ...useCompletion(`${begun?.start ?? -1} ${query ?? ''}`, choices), note: begun === undefined ? undefined : found.note ?? undefined };
}

export function MentionMenu({ menu }: { readonly menu: MentionMenuState }) {
  return <CompletionList menu={menu} note={menu.note} />;
}
