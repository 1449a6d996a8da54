/** Files that are dropped anywhere on the window go to the composer: beside it, they would take the page away. */
import { useEffect, useRef, useState } from 'react';

/** True while files are held over the window. */
export function useDroppedFiles(onFiles: (files: readonly File[]) => void): boolean {
  const [over, setOver] = useState(false);
  const take = useRef(onFiles);
  useEffect(() => { take.current = onFiles; });
  useEffect(() => {
    const watch = new AbortController();
    const { signal } = watch;
    const hold = (event: DragEvent): void => {
      if (event.dataTransfer?.types.includes('Files') !== true) return;
      event.preventDefault();
      setOver(true);
    };
    addEventListener('dragenter', hold, { signal });
    addEventListener('dragover', hold, { signal });
    addEventListener('dragleave', (event) => { if (event.relatedTarget === null) setOver(false); }, { signal });
    addEventListener('drop', (event) => {
      setOver(false);
      if (event.dataTransfer?.types.includes('Files') !== true || event.defaultPrevented) return;
      event.preventDefault();
      take.current([...event.dataTransfer.files]);
    }, { signal });
    return () => { watch.abort(); };
  }, []);
  return over;
}
