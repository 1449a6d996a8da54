/** The line between a script and the runtime: a Unix socket on this machine, files in the script's folder anywhere else. */
import { chmod } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { posix } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type EnvironmentForTools, EnvironmentError } from '../../environments/base.ts';

/** A request line; beyond it the connection is dropped. */
const MAX_LINE_BYTES = 20 * 1024 * 1024;
/** Between two looks at the folder: quick while the script asks, slower when it computes. */
const QUICK_MS = 60;
const SLOW_MS = 500;

type Answer = (request: string) => Promise<string>;

/** Answers are one JSON text each. */
const encode = (answer: string): string => JSON.stringify(answer);

export async function listenOnSocket(path: string, answer: Answer): Promise<() => Promise<void>> {
  const links = new Set<Socket>();
  const server = createServer((link) => {
    links.add(link);
    link.on('close', () => links.delete(link));
    link.on('error', () => link.destroy()); // the script ended in the middle of a request
    const parts: Buffer[] = [];
    let size = 0;
    link.on('data', (part: Buffer) => {
      size += part.length;
      if (size > MAX_LINE_BYTES) return void link.destroy();
      parts.push(part);
      if (!part.includes(10)) return;
      link.removeAllListeners('data');
      void answer(Buffer.concat(parts).toString('utf8').trimEnd()).then((text) => link.end(`${encode(text)}\n`));
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  await chmod(path, 0o600);
  return () => new Promise((resolve) => {
    for (const link of links) link.destroy();
    server.close(() => { resolve(); });
  });
}

/** Looks for `*.request` files until `signal` aborts; each is answered beside it as `*.answer`. Requests are worked on side by side. */
export async function answerFiles(environment: EnvironmentForTools, folder: string, answer: Answer, signal: AbortSignal): Promise<void> {
  const working = new Set<Promise<void>>();
  let pause = QUICK_MS;
  while (!signal.aborted) {
    const names = await listed(environment, folder);
    const requests = names.filter((name) => name.endsWith('.request'));
    pause = requests.length > 0 || working.size > 0 ? QUICK_MS : Math.min(SLOW_MS, pause * 1.3);
    for (const name of requests) {
      const path = posix.join(folder, name);
      const text = new TextDecoder().decode(await environment.readFile(path, { maxBytes: MAX_LINE_BYTES }));
      await environment.remove(path);
      const work = answer(text).then((result) => environment.writeFile(path.replace(/\.request$/, '.answer'), Buffer.from(encode(result)))).catch((error: unknown) => {
        // The place is gone, and the script with it: its own end says so.
        if (!(error instanceof EnvironmentError)) throw error;
      }).finally(() => working.delete(work));
      working.add(work);
    }
    await sleep(pause, undefined, { signal }).catch((error: unknown) => { if (!signal.aborted) throw error; });
  }
  await Promise.allSettled(working);
}

async function listed(environment: EnvironmentForTools, folder: string): Promise<readonly string[]> {
  try {
    return await environment.list(folder);
  } catch (error) {
    if (error instanceof EnvironmentError) return []; // out of reach for the moment, or for good: the script's own end says so
    throw error;
  }
}
