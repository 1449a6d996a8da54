/** The public door of pictures, sound and films in a chat. */
import { useMemo } from 'react';
import type { SessionId, ToolCall } from '../../../preload/contract/index.ts';
import { Media } from './media.tsx';
import { mediaPaths } from './model.ts';

export { AttachedFile, AttachedPicture } from './attached.tsx';

/** What a call made or looked at, under its card's head; nothing when there is nothing. */
export function CallMedia({ call }: { readonly call: ToolCall }) {
  const paths = useMemo(() => mediaPaths(call), [call]);
  if (paths.length === 0 || call.endedAt === null) return null;
  return <div className="flex flex-wrap gap-2 border-t border-line p-2">{paths.map((path) => <Media key={path} path={path} sessionId={call.sessionId} absent={call.name === 'vision_analyze' ? 'nothing' : 'words'} />)}</div>;
}

/** A file that a reply names: shown where it can be, else named with its path. */
export function ReplyFile({ path, sessionId }: { readonly path: string; readonly sessionId: SessionId }) {
  return <div className="my-1 flex flex-wrap gap-2"><Media path={path} sessionId={sessionId} absent="link" /></div>;
}
