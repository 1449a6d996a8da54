/** The public door of pictures and sound in a chat. */
import { ImageOff } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { ToolCall } from '../../../preload/contract/index.ts';
import { classNames } from '../../ui/class-names.ts';
import { Spinner } from '../../ui/spinner.tsx';
import { useMedia } from './load.ts';
import { mediaPaths } from './model.ts';

/** What a call made or looked at, under its card's head; nothing when there is nothing. */
export function CallMedia({ call }: { readonly call: ToolCall }) {
  const paths = useMemo(() => mediaPaths(call), [call]);
  if (paths.length === 0 || call.endedAt === null) return null;
  return <div className="flex flex-wrap gap-2 border-t border-line p-2">{paths.map((path) => <Media key={path} path={path} made={call.name !== 'vision_analyze'} />)}</div>;
}

/** A picture that was only looked at may lie anywhere: then it is not shown, and nothing is missing. */
function Media({ path, made }: { readonly path: string; readonly made: boolean }) {
  const loaded = useMedia(path);
  const [large, setLarge] = useState(false);
  const [broken, setBroken] = useState(false);
  const name = path.split('/').at(-1) ?? path;
  if (loaded.kind === 'loading') return <span role="status" aria-label={`Loading ${name}`} className="flex h-40 w-40 items-center justify-center rounded-md bg-sunken text-muted"><Spinner /></span>;
  if (loaded.kind === 'failed' || broken) {
    if (!made) return null;
    return <p className="flex items-center gap-1.5 text-xs text-muted wrap-anywhere"><ImageOff size={14} aria-hidden className="shrink-0" />{loaded.kind === 'failed' ? loaded.problem.message : `${path} cannot be drawn: it is damaged.`}</p>;
  }
  if (loaded.type.startsWith('audio/')) return <audio controls preload="metadata" src={loaded.url} aria-label={`Sound: ${name}`} className="h-10 w-full max-w-100" onError={() => { setBroken(true); }} />;
  return (
    <button type="button" aria-expanded={large} aria-label={`${large ? 'Smaller' : 'Larger'}: picture ${name}`} onClick={() => { setLarge(!large); }} onKeyDown={(event) => { if (event.key === 'Escape') setLarge(false); }} className={classNames('overflow-hidden rounded-md border border-line bg-sunken', large ? 'w-full cursor-zoom-out' : 'h-40 max-w-full cursor-zoom-in')}>
      <img src={loaded.url} alt={name} className={large ? 'mx-auto max-h-[80vh] max-w-full object-contain' : 'h-full max-w-full object-contain'} onError={() => { setBroken(true); }} />
    </button>
  );
}
