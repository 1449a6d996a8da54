/** Files that will go with the message that is being written: sent to the host at once, so that a reload or a crash loses none. */
import { useEffect, useRef, useState } from 'react';
import type { Attachment, AttachmentId, SessionId } from '../../../preload/contract/index.ts';
import { bridge } from '../../bridge.ts';
import { failureWords } from '../../ui/failure.ts';
import { loadDraftFiles, saveDraftFiles } from './drafts.ts';

/** Bytes per request: in base64 within what the host takes, and small enough that other requests are not held up. */
const PIECE_BYTES = 750_000;
/** What the host takes with one message. */
const MOST_FILES = 10;

export interface Attaching {
  readonly key: string;
  readonly name: string;
  readonly bytes: number;
  /** While it is being sent to the host: undefined. */
  readonly attachment: Attachment | undefined;
}

export interface Attachings {
  readonly files: readonly Attaching[];
  /** Why a file was not taken, in words. */
  readonly problem: string | undefined;
  add(files: readonly File[]): void;
  remove(key: string): void;
  /** After they went with a message. */
  clear(): void;
  /** All of them, once their last byte has arrived. */
  ready(): Promise<readonly AttachmentId[]>;
}

function base64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 32_768) text += String.fromCharCode(...bytes.subarray(at, at + 32_768));
  return btoa(text);
}

/** A pasted picture has no name of its own, and that of another one. */
async function upload(file: File): Promise<Attachment> {
  let id: AttachmentId | undefined;
  for (let offset = 0; ; offset += PIECE_BYTES) {
    const piece = new Uint8Array(await file.slice(offset, offset + PIECE_BYTES).arrayBuffer());
    const answer = await bridge.request('composer.attach', { ...(id === undefined ? {} : { id }), name: file.name === '' ? 'file' : file.name, total: file.size, offset, data: base64(piece) });
    if (answer.attachment !== null) return answer.attachment;
    id = answer.id;
  }
}

export function useAttaching(sessionId: SessionId | undefined): Attachings {
  const [files, setFiles] = useState<readonly Attaching[]>([]);
  const [problem, setProblem] = useState<string>();
  const next = useRef(0);
  const running = useRef(new Set<Promise<unknown>>());
  const latest = useRef<readonly Attaching[]>([]);
  const change = (edit: (files: readonly Attaching[]) => readonly Attaching[]): void => {
    latest.current = edit(latest.current);
    saveDraftFiles(sessionId, latest.current.flatMap(({ attachment }) => (attachment === undefined ? [] : [attachment.id])));
    setFiles(latest.current);
  };
  const changeLater = useRef(change);
  useEffect(() => { changeLater.current = change; });

  useEffect(() => {
    const ids = loadDraftFiles(sessionId);
    if (ids.length === 0) return;
    let current = true;
    bridge.request('composer.attachments', { ids }).then(
      (found) => { if (current) changeLater.current((now) => [...found.filter(({ id }) => !now.some(({ attachment }) => attachment?.id === id)).map((attachment) => ({ key: attachment.id, name: attachment.name, bytes: attachment.bytes, attachment })), ...now]); },
      (error: unknown) => { if (current) setProblem(failureWords(error)); },
    );
    return () => { current = false; };
  }, [sessionId]);

  return {
    files, problem,
    add(added) {
      setProblem(undefined);
      const room = Math.max(0, MOST_FILES - latest.current.length);
      if (added.length > room) setProblem(`A message takes ${MOST_FILES} files at most.`);
      for (const file of added.slice(0, room)) {
        next.current += 1;
        const key = `new-${next.current}`;
        changeLater.current((now) => [...now, { key, name: file.name === '' ? 'file' : file.name, bytes: file.size, attachment: undefined }]);
        const sent = upload(file).then(
          (attachment) => {
            if (latest.current.some((each) => each.key === key)) changeLater.current((now) => now.map((each) => (each.key === key ? { ...each, name: attachment.name, attachment } : each)));
            else drop(attachment.id);
          },
          (error: unknown) => {
            changeLater.current((now) => now.filter((each) => each.key !== key));
            setProblem(failureWords(error));
          },
        ).finally(() => { running.current.delete(sent); });
        running.current.add(sent);
      }
    },
    remove(key) {
      const id = latest.current.find((each) => each.key === key)?.attachment?.id;
      if (id !== undefined) drop(id);
      setProblem(undefined);
      changeLater.current((now) => now.filter((each) => each.key !== key));
    },
    clear() {
      setProblem(undefined);
      changeLater.current(() => []);
    },
    async ready() {
      while (running.current.size > 0) await Promise.all(running.current);
      return latest.current.flatMap(({ attachment }) => (attachment === undefined ? [] : [attachment.id]));
    },
  };
}

/** The host lets go of what was not sent by itself, too: a failure here loses nothing. */
function drop(id: AttachmentId): void {
  bridge.request('composer.detach', { id }).catch((error: unknown) => { console.warn('a file that was taken off is kept for a week', error); });
}
