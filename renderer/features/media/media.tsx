import { File, ImageOff } from 'lucide-react';
import { useState } from 'react';
import type { SessionId } from '../../../preload/contract/index.ts';
import { classNames } from '../../ui/class-names.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Spinner } from '../../ui/spinner.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { useMedia } from './load.ts';
import { nameOf } from './model.ts';

interface MediaProps {
  readonly path: string;
  /** Where the path does not say it. */
  readonly name?: string;
  readonly sessionId: SessionId;
  /** What stands there when it cannot be shown. A picture that was only looked at may lie anywhere: then nothing is missing. */
  readonly absent: 'nothing' | 'words' | 'link';
}

export function Media({ path, name = nameOf(path), sessionId, absent }: MediaProps) {
  const loaded = useMedia(path, sessionId);
  const [broken, setBroken] = useState(false);
  const onError = (): void => { setBroken(true); };
  if (loaded.kind === 'loading') return <span role="status" aria-label={`Loading ${name}`} className="flex h-40 w-40 items-center justify-center rounded-md bg-sunken text-muted"><Spinner /></span>;
  if (loaded.kind === 'failed' || broken) {
    const why = loaded.kind === 'failed' ? loaded.problem.message : `${name} cannot be drawn: it is damaged.`;
    if (absent === 'nothing') return null;
    return absent === 'link' ? <FileLine path={path} why={why} /> : <p className="flex items-center gap-1.5 text-xs text-muted wrap-anywhere"><ImageOff size={14} aria-hidden className="shrink-0" />{why}</p>;
  }
  if (loaded.type.startsWith('audio/')) return <audio controls preload="metadata" src={loaded.url} aria-label={`Sound: ${name}`} className="h-10 w-full max-w-100" onError={onError} />;
  if (loaded.type.startsWith('video/')) return <video controls preload="metadata" src={loaded.url} aria-label={`Film: ${name}`} className="max-h-100 max-w-full rounded-md border border-line bg-sunken" onError={onError} />;
  return <Picture url={loaded.url} name={name} onError={onError} />;
}

function Picture({ url, name, onError }: { readonly url: string; readonly name: string; readonly onError: () => void }) {
  const [large, setLarge] = useState(false);
  return (
    <button type="button" aria-expanded={large} aria-label={`${large ? 'Smaller' : 'Larger'}: picture ${name}`} onClick={() => { setLarge(!large); }} onKeyDown={(event) => { if (event.key === 'Escape') setLarge(false); }} className={classNames('overflow-hidden rounded-md border border-line bg-sunken', large ? 'w-full cursor-zoom-out' : 'h-40 max-w-full cursor-zoom-in')}>
      <img src={url} alt={name} className={large ? 'mx-auto max-h-[80vh] max-w-full object-contain' : 'h-full max-w-full object-contain'} onError={onError} />
    </button>
  );
}

/** A document, or a file of a place that is not shown from: where it lies, to be opened by hand. */
function FileLine({ path, why }: { readonly path: string; readonly why: string }) {
  return (
    <div role="group" aria-label={`File: ${nameOf(path)}`} title={why} className="flex max-w-full items-center gap-2 rounded-md border border-line bg-panel py-1 pr-1 pl-2.5">
      <File size={16} aria-hidden className="shrink-0 text-muted" />
      <span className="flex min-w-0 flex-col">
        <span className="truncate font-medium"><VisibleText text={nameOf(path)} /></span>
        <span className="font-mono text-2xs text-muted wrap-anywhere"><VisibleText text={path} /></span>
      </span>
      <CopyButton text={path} label="Copy its path" />
    </div>
  );
}
