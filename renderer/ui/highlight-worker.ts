/** Runs beside the page: code comes in, coloured lines go out, in any order. */
import { colourCode } from './colours.ts';
import type { Coloured, ColourJob } from './highlight.ts';

const answer = (coloured: Coloured): void => { self.postMessage(coloured); };

self.addEventListener('message', ({ data }: MessageEvent<ColourJob>) => {
  const { id, code, name } = data;
  colourCode(code, name).then((lines) => { answer({ id, lines }); }, (error: unknown) => { answer({ id, error: String(error) }); });
});
