/** What a fetched page says, whatever it is made of. */
import { Worker } from 'node:worker_threads';
import { describeThrown } from '../result.ts';
import { type Converted, type ConvertRequest, decodeText } from './convert.ts';
import type { FetchedPage } from '../shared/fetch/fetch-page.ts';

/** A 170 KB page takes 0.1 s (libraries.md 15); what takes this long was made to take long. */
const CONVERT_MS = 20_000;
const WORKER_MEMORY_MB = 512;

/** Sources run as they are, the build has JavaScript beside it. Threads are not started from inside an archive: that file lies beside it. */
export function workerFile(own = import.meta.url): URL {
  return new URL(new URL(own.endsWith('.ts') ? './page-worker.ts' : './page-worker.js', own).href.replace(/\.asar(?=\/)/, '.asar.unpacked'));
}

export type PageText = Converted | { readonly error: string };

/** Never rejects for what is in the page; rejects when `signal` aborts. */
export async function pageText({ url, mediaType, charset, bytes }: FetchedPage, signal: AbortSignal): Promise<PageText> {
  const kind = kindOf(mediaType, bytes);
  if (kind === 'text') return { title: '', content: decodeText(bytes, charset) };
  if (kind === 'other') {
    const image = mediaType.startsWith('image/');
    return { error: `This is ${mediaType === '' ? 'binary data' : mediaType}, not a page. ${image ? 'Use vision_analyze to look at it.' : 'Download it in the terminal and use a program that reads it.'}` };
  }
  try {
    return await inWorker({ kind, bytes, charset, url }, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (kind === 'html') return { error: `The page could not be converted: ${describeThrown(error)}. Try the browser tools, or another source.` };
    const locked = error instanceof Error && /password/i.test(error.name + error.message);
    return { error: locked ? 'The PDF file needs a password. Ask the person for a copy that opens without one.' : `The PDF file could not be read: ${describeThrown(error)}. Download it in the terminal and try another program.` };
  }
}

function kindOf(mediaType: string, bytes: Uint8Array): 'html' | 'pdf' | 'text' | 'other' {
  const head = Buffer.from(bytes.subarray(0, 1_024)).toString('latin1');
  if (head.startsWith('%PDF-')) return 'pdf';
  if (mediaType === 'text/html' || mediaType === 'application/xhtml+xml') return 'html';
  if (mediaType.startsWith('text/') || /[/+](?:json|xml|yaml|toml|javascript|x-javascript|ecmascript|x-sh|x-ndjson)$/.test(mediaType)) return 'text';
  if (mediaType !== '' && mediaType !== 'application/octet-stream') return 'other';
  if (/^\s*<(?:!doctype html|html|head|body)[\s>]/i.test(head)) return 'html';
  return head.includes('\0') ? 'other' : 'text';
}

function inWorker(request: ConvertRequest, signal: AbortSignal): Promise<Converted> {
  const { promise, resolve, reject } = Promise.withResolvers<Converted>();
  // The warnings of PDF.js about odd fonts are nobody's business; what fails comes as an error.
  const worker = new Worker(workerFile(), { workerData: request, stdout: true, stderr: true, resourceLimits: { maxOldGenerationSizeMb: WORKER_MEMORY_MB } });
  const limit = AbortSignal.any([signal, AbortSignal.timeout(CONVERT_MS)]);
  const giveUp = (): void => reject(signal.aborted ? signal.reason : new Error(`it takes longer than ${String(CONVERT_MS / 1_000)} s`));
  limit.addEventListener('abort', giveUp, { once: true });
  if (limit.aborted) giveUp();
  worker.once('message', resolve);
  worker.once('error', reject);
  worker.once('exit', (code) => reject(new Error(`the converter ended with code ${String(code)}`)));
  return promise.finally(async () => {
    limit.removeEventListener('abort', giveUp);
    await worker.terminate();
  });
}
