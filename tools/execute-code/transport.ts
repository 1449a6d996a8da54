/** The line between a script and the runtime: a Unix socket on this machine, files in the script's folder anywhere else. The script is not trusted on either. */
import { constants } from 'node:fs';
import { chmod, open } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { posix } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type EnvironmentForTools, EnvironmentError } from '../../environments/base.ts';
import { toolError } from '../result.ts';

/** One request. */
const MAX_LINE_BYTES = 20 * 1024 * 1024;
/** Requests that have begun to arrive, together; and connections. A script that forks could otherwise fill the host's memory. */
const MAX_HELD_BYTES = 64 * 1024 * 1024;
const MAX_LINKS = 128;
/** Between two looks at the folder: quick while the script asks, slower when it computes. */
const QUICK_MS = 60;
const SLOW_MS = 500;
const MAX_AT_ONCE = 32;
/** As the modules name them; anything else in the folder is the script's own business. */
const REQUEST_NAME = /^\d{1,10}-\d{1,10}\.request$/;

const TOO_LARGE = toolError(`This call carries more than ${String(MAX_LINE_BYTES / 1024 / 1024)} MB. Write large data into a file, and name the file.`);
const TOO_MANY = toolError('Too many calls at once. Wait for some to be answered first.');

type Answer = (request: string) => Promise<string>;

/** Answers are one JSON text each. */
const encode = (answer: string): string => JSON.stringify(answer);

export async function listenOnSocket(path: string, answer: Answer): Promise<() => Promise<void>> {
  const links = new Set<Socket>();
  let held = 0;

  function receive(link: Socket): void {
    const parts: Buffer[] = [];
    let size = 0;
    let isDone = false;
    const finish = (text: string): void => { link.end(`${encode(text)}\n`); };
    const release = (): void => {
      held -= size;
      size = 0;
      parts.length = 0;
    };
    links.add(link);
    link.on('close', () => {
      links.delete(link);
      release();
    });
    link.on('error', () => link.destroy()); // the script ended in the middle of a request
    link.on('data', (part: Buffer) => {
      if (isDone) return;
      size += part.length;
      held += part.length;
      parts.push(part);
      isDone = part.includes(10) || size > MAX_LINE_BYTES || held > MAX_HELD_BYTES;
      if (!isDone) return;
      const refusal = size > MAX_LINE_BYTES ? TOO_LARGE : held > MAX_HELD_BYTES ? TOO_MANY : undefined;
      const request = refusal === undefined ? Buffer.concat(parts).toString('utf8').trimEnd() : '';
      release();
      if (refusal === undefined) void answer(request).then(finish);
      else finish(refusal);
    });
    if (links.size > MAX_LINKS) {
      isDone = true;
      finish(TOO_MANY);
    }
  }

  // The socket is removed by the path it was made with: through the open folder, or a link that a script puts in the folder's place would be followed then.
  const folder = process.platform === 'linux' ? await open(posix.dirname(path), constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW) : undefined;
  const at = folder === undefined ? path : `/proc/self/fd/${String(folder.fd)}/${posix.basename(path)}`;
  const server = createServer(receive);
  try {
    await new Promise<void>((resolve, reject) => {
      // Stays for later too: a connection that cannot be taken is the script's loss, never the host's end.
      server.on('error', reject);
      server.listen(at, resolve);
    });
    await chmod(at, 0o600);
  } catch (error) {
    server.close();
    await folder?.close();
    throw error;
  }
  return async () => {
    for (const link of links) link.destroy();
    await new Promise((resolve) => { server.close(resolve); });
    await folder?.close();
  };
}

/** Looks for `*.request` files until `signal` aborts; each is answered beside it as `*.answer`. Requests are worked on side by side. Rejects for faults of the runtime only. */
export async function answerFiles(environment: EnvironmentForTools, folder: string, answer: Answer, signal: AbortSignal): Promise<void> {
  const working = new Set<Promise<void>>();
  const unreadable = new Set<string>();
  let pause = QUICK_MS;
  while (!signal.aborted) {
    const names = await listed(environment, folder);
    const requests = names.filter((name) => REQUEST_NAME.test(name) && !unreadable.has(name)).slice(0, MAX_AT_ONCE - working.size);
    pause = requests.length > 0 || working.size > 0 ? QUICK_MS : Math.min(SLOW_MS, pause * 1.3);
    for (const name of requests) {
      const path = posix.join(folder, name);
      const request = await taken(environment, path);
      if (request === undefined) {
        unreadable.add(name);
        continue;
      }
      const work = Promise.resolve('refused' in request ? request.refused : answer(request.text))
        .then((result) => environment.writeFile(path.replace(/\.request$/, '.answer'), Buffer.from(encode(result))))
        // The place is gone, and the script with it: its own end says so.
        .catch(unlessOfThePlace).finally(() => working.delete(work));
      working.add(work);
    }
    await sleep(pause, undefined, { signal }).catch((error: unknown) => { if (!signal.aborted) throw error; });
  }
  await Promise.allSettled(working);
}

/** The request, off the disk; undefined for what is no plain file: a pipe would never end, and links lead anywhere. */
async function taken(environment: EnvironmentForTools, path: string): Promise<{ readonly text: string } | { readonly refused: string } | undefined> {
  try {
    const stat = await environment.stat(path);
    if (stat?.kind !== 'file' || stat.link) return undefined;
    const request = stat.size > MAX_LINE_BYTES ? { refused: TOO_LARGE } : { text: new TextDecoder().decode(await environment.readFile(path, { maxBytes: MAX_LINE_BYTES })) };
    await environment.remove(path);
    return request;
  } catch (error) {
    unlessOfThePlace(error);
    return undefined;
  }
}

function unlessOfThePlace(error: unknown): void {
  if (!(error instanceof EnvironmentError)) throw error;
}

async function listed(environment: EnvironmentForTools, folder: string): Promise<readonly string[]> {
  try {
    return await environment.list(folder);
  } catch (error) {
    unlessOfThePlace(error); // out of reach for the moment, or for good: the script's own end says so
    return [];
  }
}
