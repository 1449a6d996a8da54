/** Files that come with a message. One that cannot be had never costs the message: its reader is told of it in words. */
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { PlatformError, type PlatformParts } from './platform.ts';

export interface IncomingFile {
  /** Of the messenger: tells files of the same name apart. */
  readonly id: string;
  readonly name: string;
  /** Throws what is wrong with it, in words. */
  fetch(): Promise<Response>;
}

/** Absolute paths of what was kept, and the words of the message with a line for each file that was not. */
export async function keepIncoming(files: readonly IncomingFile[], text: string, { inbox, log }: Pick<PlatformParts, 'inbox' | 'log'>, limits: { readonly bytes: number; readonly words: string }): Promise<{ readonly files: string[]; readonly text: string }> {
  const outcomes = await Promise.all(files.map(async ({ id, name, fetch }) => {
    try {
      return { path: await keep(inbox, `${id}-${basename(name).replaceAll(/[^\w.-]/g, '_').slice(-80)}`, await fetch(), limits) };
    } catch (error) {
      log.warn('a file that came with a message could not be fetched', { name, error: error instanceof Error ? error.message : String(error) });
      return { note: `[A file came with this and could not be fetched: ${name}. ${error instanceof PlatformError ? error.message : limits.words}]` };
    }
  }));
  return { files: outcomes.flatMap(({ path }) => path ?? []), text: [text, ...outcomes.flatMap(({ note }) => note ?? [])].filter((each) => each !== '').join('\n') };
}

async function keep(inbox: string, name: string, response: Response, { bytes, words }: { readonly bytes: number; readonly words: string }): Promise<string> {
  if (!response.ok || response.body === null) {
    await response.body?.cancel();
    throw new PlatformError(`The messenger answered HTTP ${String(response.status)}.`);
  }
  // What it says of its size is not believed.
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body as AsyncIterable<Uint8Array>) { // fetch gives bytes
    size += part.length;
    if (size > bytes) throw new PlatformError(words);
    parts.push(part);
  }
  await mkdir(inbox, { recursive: true, mode: 0o700 });
  const path = join(inbox, name);
  await writeFile(path, Buffer.concat(parts), { mode: 0o600 });
  return path;
}
