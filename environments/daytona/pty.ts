/** Programs in a Daytona sandbox: each on a terminal of its own over a WebSocket. */
import { randomBytes } from 'node:crypto';
import type { PtyHandle, Sandbox } from '@daytona/sdk';
import { EnvironmentError } from '../base.ts';
import { hostedChannel, isNoSpace, noSpaceIn, problem, SandboxGone, startProblem, within, type HostedChannel, type Timing } from '../hosted.ts';
import type { Channel, ChannelEnd, LaunchOptions } from '../shell.ts';
import { DAYTONA } from './client.ts';
import { bootstrap, onPipes, onTerminal, readyMark } from './scripts.ts';

/** A terminal takes this much at once; base64 makes it 4/3. */
const INPUT_CHUNK_BYTES = 12 * 1024;
/** From here on input goes as a file: bash reads a terminal byte by byte. */
const UPLOAD_BYTES = 48 * 1024;
const BROKE = 'the connection to the Daytona sandbox broke';
const WIRE = { cols: 80, rows: 24 } as const;

/** Of the handle's WebSocket: the SDK offers neither a sign of life nor flow control. */
interface Wire {
  ping(): void;
  pause(): void;
  resume(): void;
  terminate(): void;
  once(event: 'pong', listener: () => void): void;
}

function wireOf(handle: PtyHandle): Wire | undefined {
  const socket: unknown = Reflect.get(handle, 'ws');
  const isWire = (value: unknown): value is Wire => typeof value === 'object' && value !== null && ['ping', 'pause', 'resume', 'terminate', 'once'].every((name) => typeof Reflect.get(value, name) === 'function');
  return isWire(socket) ? socket : undefined;
}

/** Throws `SandboxGone` when the sandbox does not run any more. */
export async function askDaytona(sandbox: Sandbox): Promise<void> {
  await sandbox.refreshData();
  if (sandbox.state !== 'started') throw new SandboxGone('Daytona');
}

async function explain(sandbox: Sandbox, timing: Timing, error: unknown): Promise<ChannelEnd> {
  try {
    await within(askDaytona(sandbox), timing.answerMs / 2, 'Daytona');
  } catch (asked) {
    if (problem(DAYTONA, '', asked) instanceof SandboxGone) return { exitCode: null, signal: null, dropped: 'the Daytona sandbox ended while the command ran in it', gone: true };
  }
  return { exitCode: null, signal: null, dropped: isNoSpace(error) ? noSpaceIn(DAYTONA) : problem(DAYTONA, BROKE, error instanceof Error && error.message.includes('[object') ? new EnvironmentError('unreachable', BROKE) : error).message };
}

/** The SDK makes a text of the event by which a WebSocket says that it failed: nothing is left of the reason. */
function named(error: unknown): unknown {
  if (!(error instanceof Error) || !error.message.includes('[object')) return error;
  return new EnvironmentError('unreachable', 'the command could not be started in the Daytona sandbox: Daytona did not open a terminal there', { cause: error, hint: 'Try again in a moment; Daytona may have a disturbance.' });
}

/** Looks for the ready mark over any chunking. */
function markFinder(mark: Buffer, found: () => void): (bytes: Buffer) => void {
  let held = Buffer.alloc(0);
  let done = false;
  return (bytes) => {
    if (done) return;
    held = Buffer.concat([held, bytes]);
    if (held.includes(mark)) {
      done = true;
      found();
    } else held = held.subarray(Math.max(0, held.length - mark.length));
  };
}

/** Throws `SandboxGone`, or another `EnvironmentError`. */
export async function execDaytona(sandbox: Sandbox, program: readonly string[], options: LaunchOptions, timing: Timing): Promise<Channel> {
  const nonce = randomBytes(8).toString('hex');
  const id = `talaria-${nonce}`;
  const ready = Promise.withResolvers<undefined>();
  const early: Buffer[] = [];
  const opened: { channel?: HostedChannel } = {};
  let paused = false;
  const find = markFinder(readyMark(nonce), () => ready.resolve(undefined));
  const onData = (data: Uint8Array) => {
    const bytes = Buffer.from(data);
    find(bytes);
    if (opened.channel === undefined) early.push(bytes);
    else opened.channel.push(bytes);
  };
  let handle: PtyHandle | undefined;
  try {
    handle = await within(sandbox.process.createPty({ id, cwd: '/', ...(options.pty ?? WIRE), onData }), timing.answerMs, 'Daytona');
    await handle.sendInput(bootstrap(nonce));
    await within(Promise.race([ready.promise, handle.wait().then(({ error }) => { throw new Error(error ?? 'the shell of the sandbox ended'); })]), timing.answerMs, 'the shell of the Daytona sandbox');
    const script = options.pty === undefined ? onPipes(program, options.env, options.input) : onTerminal(program, options.env);
    await handle.sendInput(`${Buffer.from(script).toString('base64')}\n`);
  } catch (error) {
    void handle?.disconnect();
    const end = await explain(sandbox, timing, error);
    throw end.gone === true ? new SandboxGone('Daytona', error) : startProblem(DAYTONA, named(error));
  }
  const terminal = handle;
  const wire = wireOf(terminal);
  const line = (text: string) => terminal.sendInput(`${text}\n`);
  let uploads = 0;

  const made = hostedChannel({
    write: async (bytes) => {
      if (!terminal.isConnected()) return; // it has just ended
      if (options.pty !== undefined) {
        await terminal.sendInput(bytes);
      } else if (bytes.length >= UPLOAD_BYTES) {
        const path = `/tmp/.${id}-${uploads++}`;
        try {
          await within(sandbox.fs.uploadFile(Buffer.from(bytes), path), timing.createMs, 'Daytona');
        } catch (error) {
          await line(`R${path}`).catch(() => undefined); // the first error is the one to tell
          throw error;
        }
        await line(`F${path}`);
      } else {
        for (let at = 0; at < bytes.length; at += INPUT_CHUNK_BYTES) await line(Buffer.from(bytes.subarray(at, at + INPUT_CHUNK_BYTES)).toString('base64'));
      }
    },
    closeInput: async () => { if (options.pty === undefined && terminal.isConnected()) await line('.'); },
    resize: async (cols, rows) => { await terminal.resize(cols, rows); },
    pause: () => {
      paused = true;
      wire?.pause();
    },
    resume: () => {
      paused = false;
      wire?.resume();
    },
    destroy: () => {
      void terminal.disconnect();
      wire?.terminate();
    },
    explain: (error) => explain(sandbox, timing, error),
  }, {
    timing, service: 'Daytona',
    ask: async () => {
      if (paused) return; // a paused wire hears no answer either
      if (wire === undefined) {
        await askDaytona(sandbox);
        return;
      }
      await new Promise<void>((resolve) => {
        wire.once('pong', resolve);
        wire.ping();
      });
    },
  });
  opened.channel = made;
  for (const bytes of early) made.push(bytes);
  terminal.wait().then(({ exitCode, error }) => {
    if (exitCode === undefined) made.fail(new Error(error ?? 'the connection was closed'));
    else made.finish(exitCode);
  }, (error: unknown) => made.fail(error));
  return made;
}
