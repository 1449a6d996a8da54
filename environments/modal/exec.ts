/** Programs in a Modal sandbox: exec through the command router, output and input as streams of bytes. */
import type { ContainerProcess, Sandbox } from 'modal';
import { hostedChannel, problem, SandboxGone, startProblem, within, type HostedChannel, type Timing } from '../hosted.ts';
import type { Channel, ChannelEnd, LaunchOptions } from '../shell.ts';
import { MODAL } from './client.ts';

/** hermes-runtime 6.6. */
const INPUT_CHUNK_BYTES = 1024 * 1024;
/** Sets the size of the terminal that the program with the mark has. The SDK offers no call for it. $1 mark · $2 rows · $3 columns. */
const RESIZE = 'for p in /proc/[0-9]*; do if tr "\\000" "\\n" <"$p/environ" 2>/dev/null | grep -qx "TALARIA_MARK=$1"; then t=$(readlink "$p/fd/0"); case $t in /dev/pts/*) stty rows "$2" cols "$3" <"$t"; exit ;; esac; fi; done';

/** Throws `SandboxGone` when the sandbox has ended. */
export async function askModal(sandbox: Sandbox): Promise<void> {
  if (await sandbox.poll() !== null) throw new SandboxGone('Modal');
}

/** Why the program cannot be followed any more. */
async function explain(sandbox: Sandbox, timing: Timing, error: unknown): Promise<ChannelEnd> {
  try {
    await within(askModal(sandbox), timing.answerMs / 2, 'Modal');
  } catch (asked) {
    if (problem(MODAL, '', asked) instanceof SandboxGone) return { exitCode: null, signal: null, dropped: 'the Modal sandbox ended while the command ran in it', gone: true };
  }
  return { exitCode: null, signal: null, dropped: problem(MODAL, 'the connection to the Modal sandbox broke', error).message };
}

/** Reads while nobody has paused; the service holds the rest back. */
async function pump(process: ContainerProcess<Uint8Array>, channel: HostedChannel, gate: { open: Promise<void> }, stopped: AbortSignal): Promise<void> {
  const reader = process.stdout.getReader();
  stopped.addEventListener('abort', () => { void reader.cancel().catch(() => undefined); }, { once: true }); // let go of: how it ends is of no interest
  for (;;) {
    await gate.open;
    const { done, value } = await reader.read();
    if (done) return;
    channel.push(Buffer.from(value));
  }
}

/** Throws `SandboxGone`, or another `EnvironmentError`. */
export async function execModal(sandbox: Sandbox, program: readonly string[], options: LaunchOptions, timing: Timing): Promise<Channel> {
  let process: ContainerProcess<Uint8Array>;
  try {
    process = await within(sandbox.exec([...program], { mode: 'binary', stderr: 'ignore', env: { ...options.env }, pty: options.pty !== undefined }), timing.answerMs, 'Modal');
  } catch (error) {
    // A dead sandbox may look like a dead connection.
    const end = await explain(sandbox, timing, error);
    throw end.gone === true ? new SandboxGone('Modal', error) : startProblem(MODAL, error);
  }
  const stopped = new AbortController();
  const gate: { open: Promise<void>; release?: () => void } = { open: Promise.resolve() };
  const writer = process.stdin.getWriter();
  /** What a program does not read any more is lost with its end, not with the connection. */
  const unlessEnded = async (work: () => Promise<void>) => {
    try {
      await within(work(), timing.answerMs, 'Modal');
    } catch (error) {
      const ended = await within(process._poll(), timing.answerMs / 2, 'Modal').catch(() => null); // its silence is the first error's
      if (ended === null) throw error;
    }
  };
  const channel = hostedChannel({
    write: async (bytes) => {
      for (let at = 0; at < bytes.length; at += INPUT_CHUNK_BYTES) await unlessEnded(() => writer.write(bytes.subarray(at, at + INPUT_CHUNK_BYTES)));
    },
    closeInput: () => unlessEnded(() => writer.close()),
    resize: async (cols, rows) => {
      const beside = await sandbox.exec(['bash', '-c', RESIZE, 'bash', options.env['TALARIA_MARK'] ?? '', String(rows), String(cols)], { stdout: 'ignore', stderr: 'ignore' });
      await beside.wait();
    },
    pause: () => { gate.open = new Promise((resolve) => { gate.release = resolve; }); },
    resume: () => { gate.release?.(); },
    destroy: () => {
      gate.release?.();
      stopped.abort();
    },
    explain: (error) => explain(sandbox, timing, error),
  // `_poll` is the one call that goes the way of the output and starts nothing.
  }, { timing, service: 'Modal', ask: () => process._poll() });
  pump(process, channel, gate, stopped.signal)
    .then(async () => {
      channel.finish(await within(process.wait(), timing.answerMs, 'Modal'));
    })
    .catch((error: unknown) => channel.fail(error));
  return channel;
}
