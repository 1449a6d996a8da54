/** `talaria serve`: the app in a browser on this machine. */
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { systemClock } from '../../clock.ts';
import { homePaths } from '../../config/paths.ts';
import { secretsFile } from '../../config/secrets-file.ts';
import { createHost } from '../../host.ts';
import { askOnce } from './ask-once.ts';
import { openFolder, openLink } from './open-link.ts';
import { readLastRun, writeLastRun } from './last-run.ts';
import { startBrowserServer, type BrowserServer, type BrowserServerOptions } from './server.ts';

export interface ServeChoices { readonly port: number; readonly open: boolean; readonly beyondLoopback: boolean; readonly yolo: boolean }

export interface ServeContext {
  /** Aborts when it shall end. */
  readonly signal: AbortSignal;
  /** `wanted` is asked at each Ctrl-C; true = not this time. */
  holdInterrupt(wanted: () => boolean): void;
  readonly json: boolean;
  readonly streams: { readonly stdin: NodeJS.ReadableStream; readonly stdout: NodeJS.WritableStream; readonly stderr: NodeJS.WritableStream; readonly interactive: boolean };
}

/** Where the build put `renderer/` and `preload/`, also when this module runs from its source. */
function builtFolder(): string {
  const top = join(import.meta.dirname, '..', '..', '..');
  return basename(top) === 'dist' ? top : join(top, 'dist');
}

/** Serves until `signal` aborts; then every window is told and the host ends what runs. Resolves with the exit code. */
export async function serve(choices: ServeChoices, { signal, holdInterrupt, json, streams }: ServeContext): Promise<0> {
  const host = await createHost({
    yolo: choices.yolo,
    shell: {
      name: 'browser',
      secrets: secretsFile(homePaths().secrets),
      openExternal: async (url) => { if (!await openLink(url)) host.log.warn('a link could not be opened: no display or no browser', { url }); },
      openFolder,
      /** The page notifies: only it knows whether somebody looks at it. */
      notify: () => undefined,
    },
  });
  try {
    const server = await startAsBefore({ host, bundleFolder: join(builtFolder(), 'renderer'), preloadFile: join(builtFolder(), 'preload', 'browser.js'), port: choices.port, beyondLoopback: choices.beyondLoopback });
    const link = server.link();
    streams.stdout.write(json ? `${JSON.stringify({ url: link, port: server.port })}\n` : `${link}\n`);
    if (choices.beyondLoopback) streams.stderr.write('Other machines can connect: whoever has the link can run commands here. Prefer an ssh tunnel.\n');
    if (choices.open && !await openLink(link)) streams.stderr.write('There is no browser to open here: open the link above, or through an ssh tunnel to this port.\n');
    const offKeys = streams.interactive ? offerLinks(streams, () => server.link()) : () => undefined;
    if (streams.interactive) holdInterrupt(askOnce(() => host.terminals.list(), streams.stderr, systemClock));
    await aborted(signal);
    offKeys();
    await server.close();
    return 0;
  } finally {
    await host.close('the server was stopped');
  }
}

/** On the port of the last run and with its cookie, so that windows of it connect again; on any other when a program has taken that port. */
async function startAsBefore(options: BrowserServerOptions): Promise<BrowserServer> {
  const path = homePaths().lastServe;
  const now = systemClock.now();
  const last = await readLastRun(path, now);
  const wanted = last !== undefined && (options.port === 0 || options.port === last.port) ? last : undefined;
  const server = wanted === undefined ? undefined : await startBrowserServer({ ...options, port: wanted.port, cookie: wanted.cookie }).catch((error: unknown) => {
    if (options.port !== 0) throw error;
    return undefined; // another host of this home serves there now
  });
  if (server === undefined && wanted !== undefined) return startBrowserServer(options);
  const started = server ?? await startBrowserServer(options);
  await writeLastRun(path, { port: started.port, cookie: started.cookie, savedAt: now });
  return started;
}

/** A fresh link at each Enter, because every link works once. */
function offerLinks(streams: ServeContext['streams'], link: () => string): () => void {
  streams.stderr.write('Enter prints a fresh link, Ctrl-C stops.\n');
  const lines = createInterface({ input: streams.stdin });
  lines.on('line', () => { streams.stdout.write(`${link()}\n`); });
  return () => { lines.close(); };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => { resolve(); }, { once: true });
  });
}
