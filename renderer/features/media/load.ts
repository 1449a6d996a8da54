import { useEffect, useState } from 'react';
import type { ErrorShape } from '../../../preload/contract/errors.ts';
import type { SessionId } from '../../../preload/contract/ids.ts';
import { bridge, toErrorShape } from '../../bridge.ts';

export type Loaded = { readonly kind: 'loading' } | { readonly kind: 'ready'; readonly url: string; readonly type: string } | { readonly kind: 'failed'; readonly problem: ErrorShape };

async function read(path: string, sessionId: SessionId | undefined, signal: AbortSignal): Promise<Blob | undefined> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let offset = 0;
  for (;;) {
    const { type, total, data } = await bridge.request('media.read', { path, offset, ...(sessionId === undefined ? {} : { sessionId }) });
    if (signal.aborted) return undefined;
    const piece = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
    pieces.push(piece);
    offset += piece.length;
    if (offset >= total || piece.length === 0) return new Blob(pieces, { type });
  }
}

/** A file as an address of this page; given back when it is no longer shown. */
export function useMedia(path: string, sessionId: SessionId | undefined): Loaded {
  const [loaded, setLoaded] = useState<Loaded>({ kind: 'loading' });
  useEffect(() => {
    const gone = new AbortController();
    let url: string | undefined;
    read(path, sessionId, gone.signal).then((blob) => {
      if (blob === undefined) return;
      url = URL.createObjectURL(blob);
      setLoaded({ kind: 'ready', url, type: blob.type });
    }).catch((error: unknown) => { if (!gone.signal.aborted) setLoaded({ kind: 'failed', problem: toErrorShape(error) }); });
    return () => {
      gone.abort();
      if (url !== undefined) URL.revokeObjectURL(url);
    };
  }, [path, sessionId]);
  return loaded;
}
