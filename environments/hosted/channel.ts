/** A program's input and output over a hosted service, as a `Channel`: input in order, silence watched, every loss told in words. */
import type { Channel, ChannelEnd } from '../shell.ts';
import { watch, type WatchOptions } from './limits.ts';

/** 128 and the number of SIGKILL. */
const KILLED = 137;

/** What the vendor gives. Each may reject: then the connection counts as broken. */
export interface Lines {
  write(bytes: Uint8Array): Promise<void>;
  closeInput(): Promise<void>;
  resize(cols: number, rows: number): Promise<void>;
  pause?(): void;
  resume?(): void;
  /** Lets go of the connection. */
  destroy(): void;
  /** After a loss: why, and whether the program has certainly ended. Bounded in time; never rejects. */
  explain(error: unknown): Promise<ChannelEnd>;
}

export interface HostedChannel extends Channel {
  /** Output of the program. */
  push(bytes: Buffer): void;
  /** The program has ended, and all its output was pushed. A death by SIGKILL may be the end of the whole sandbox: that is found out first. */
  finish(exitCode: number): void;
  /** The connection broke. */
  fail(error: unknown): void;
}

export function hostedChannel(lines: Lines, watching: WatchOptions): HostedChannel {
  let onData: ((bytes: Buffer) => void) | undefined;
  let onClose: ((end: ChannelEnd) => void) | undefined;
  let held: Buffer[] = [];
  let result: ChannelEnd | undefined;
  let failing = false;
  let inputs: Promise<void> = Promise.resolve();

  const close = (end: ChannelEnd) => {
    if (result !== undefined) return;
    result = end;
    silence.stop();
    onClose?.(end);
  };
  const fail = (error: unknown) => {
    if (failing || result !== undefined) return;
    failing = true;
    silence.stop();
    void lines.explain(error).then((end) => {
      close(end);
      lines.destroy();
    });
  };
  const silence = watch(watching, fail);
  const then = (work: () => Promise<void>) => {
    inputs = inputs.then(async () => {
      if (result === undefined && !failing) await work();
    }).catch(fail);
  };

  return {
    push: (bytes) => {
      silence.heard();
      if (onData === undefined) held.push(bytes);
      else onData(bytes);
    },
    finish: (exitCode) => {
      const end: ChannelEnd = { exitCode, signal: null };
      if (exitCode !== KILLED) close(end);
      else void lines.explain(undefined).then((found) => close(found.gone === true ? found : end));
    },
    fail,
    onData: (listener) => {
      onData = listener;
      const early = held;
      held = [];
      for (const bytes of early) listener(bytes);
    },
    onClose: (listener) => {
      onClose = listener;
      if (result !== undefined) listener(result);
    },
    write: (data) => then(() => lines.write(Buffer.from(data))),
    closeInput: () => then(() => lines.closeInput()),
    resize: (cols, rows) => then(() => lines.resize(cols, rows).catch(() => undefined)), // a size is not worth a loss; it may have just ended
    pause: () => lines.pause?.(),
    resume: () => lines.resume?.(),
    destroy: () => {
      close({ exitCode: null, signal: null, dropped: 'the connection was let go' });
      lines.destroy();
    },
  };
}
