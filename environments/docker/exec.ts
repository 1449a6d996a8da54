/** Programs inside a container, by exec over a hijacked connection. */
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';
import { EnvironmentError } from '../base.ts';
import type { Channel, ChannelEnd, LaunchOptions } from '../shell.ts';
import { engineError, statusCode } from './engine.ts';
import type { EngineWatch } from './watch.ts';

const HEADER_BYTES = 8;

/** The container is not there or does not run. */
export class ContainerGone extends EnvironmentError {
  constructor(cause: unknown) {
    super('unreachable', `the container is gone: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

/** Takes the frames of a stream without a terminal apart: kind, three zeros, length, bytes. */
export class Demultiplexer {
  #held: Buffer = Buffer.alloc(0);
  readonly #deliver: (bytes: Buffer) => void;

  constructor(deliver: (bytes: Buffer) => void) {
    this.#deliver = deliver;
  }

  push(chunk: Buffer): void {
    this.#held = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    while (this.#held.length >= HEADER_BYTES) {
      const end = HEADER_BYTES + this.#held.readUInt32BE(4);
      if (this.#held.length < end) return;
      this.#deliver(this.#held.subarray(HEADER_BYTES, end));
      this.#held = this.#held.subarray(end);
    }
  }
}

const REMOVED = { exitCode: null, signal: null, dropped: 'the container was removed while the command ran in it', gone: true } as const;

/** 128 + SIGKILL: what a program that ends with its container reports, and one that was killed alone. */
const KILLED = 137;
/** The programs of a container end a moment before the container itself. */
const LOOKS = 10;
const LOOK_MS = 100;

async function goesAway(container: Docker.Container, watch: EngineWatch): Promise<boolean> {
  for (let look = 0; look < LOOKS; look++) {
    try {
      if (!(await watch.guard(container.inspect())).State.Running) return true;
    } catch (error) {
      return statusCode(error) === 404;
    }
    await sleep(LOOK_MS, undefined, { ref: false });
  }
  return false;
}

async function endOf(container: Docker.Container, exec: Docker.Exec, watch: EngineWatch): Promise<ChannelEnd> {
  try {
    const { ExitCode, Running } = await watch.guard(exec.inspect());
    const end = { exitCode: ExitCode, signal: null };
    const lookAgain = async () => (ExitCode === KILLED && await goesAway(container, watch) ? REMOVED : end);
    if (!Running) return { ...end, lookAgain };
    return { exitCode: null, signal: null, dropped: 'the connection to the Docker Engine broke' };
  } catch (error) {
    if (statusCode(error) === 404) return REMOVED;
    return { exitCode: null, signal: null, dropped: 'the Docker Engine went away' };
  }
}

/** Throws `ContainerGone`, or another `EnvironmentError`. */
export async function execIn(watch: EngineWatch, container: Docker.Container, program: readonly string[], options: LaunchOptions): Promise<Channel> {
  const tty = options.pty !== undefined;
  let exec: Docker.Exec;
  let stream: Duplex;
  try {
    exec = await watch.guard(container.exec({
      Cmd: [...program], Env: Object.entries(options.env).map(([name, value]) => `${name}=${value}`), AttachStdin: true, AttachStdout: true, AttachStderr: true, Tty: tty,
    }));
    stream = await watch.guard(exec.start({ hijack: true, stdin: true, Tty: tty }));
  } catch (error) {
    if ([404, 409].includes(statusCode(error) ?? 0)) throw new ContainerGone(error);
    throw engineError(error, 'the command could not be started in the container');
  }
  let onData: ((bytes: Buffer) => void) | undefined;
  let onClose: ((end: ChannelEnd) => void) | undefined;
  let result: ChannelEnd | undefined;
  let over = false;
  const demultiplexer = new Demultiplexer((bytes) => onData?.(bytes));
  const settle = (end: ChannelEnd) => {
    result = end;
    onClose?.(end);
  };
  const close = () => {
    if (over) return;
    over = true;
    release();
    void endOf(container, exec, watch).then(settle);
  };
  const release = watch.follow((why) => {
    if (over) return;
    over = true;
    stream.destroy();
    settle({ exitCode: null, signal: null, dropped: why });
  });
  stream.on('end', close).on('close', close).on('error', close);
  return {
    onData: (listener) => {
      onData = listener;
      stream.on('data', (chunk: Buffer) => { if (tty) listener(chunk); else demultiplexer.push(chunk); });
    },
    onClose: (listener) => {
      onClose = listener;
      if (result !== undefined) listener(result);
    },
    write: (data) => { if (stream.writable) stream.write(data); },
    closeInput: () => { stream.end(); },
    resize: (cols, rows) => { void exec.resize({ h: rows, w: cols }).catch(() => undefined); }, // it has just ended
    pause: () => { stream.pause(); },
    resume: () => { stream.resume(); },
    destroy: () => { stream.destroy(); },
  };
}
