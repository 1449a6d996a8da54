/** Programs in a Vercel sandbox: detached commands whose log is followed. */
import { randomBytes } from 'node:crypto';
import type { Command, Sandbox } from '@vercel/sandbox';
import { hostedChannel, isNoSpace, noSpaceIn, problem, SandboxGone, startProblem, within, type HostedChannel, type Timing } from '../hosted.ts';
import type { Channel, ChannelEnd, LaunchOptions } from '../shell.ts';
import { VERCEL } from './client.ts';
import { CLOSE, lineDecoder, NO_INPUT, RUN, WRITE } from './scripts.ts';

/** From here on input goes as a file instead of an argument. */
const UPLOAD_BYTES = 48 * 1024;
/** After the end of its log a command has ended, too. */
const END_MS = 3_000;

type Session = ReturnType<Sandbox['currentSession']>;

/** Looks without waking it: the SDK would start a stopped sandbox again. Throws `SandboxGone`. */
export async function askVercel(sandbox: Sandbox, get: () => Promise<Sandbox>): Promise<void> {
  const { status } = (await get()).currentSession();
  if (status !== 'running' && status !== 'pending') throw new SandboxGone('Vercel', new Error(`${sandbox.name} is ${status}`));
}

/** Runs a small helper to its end. */
async function helper(session: Session, script: string, args: readonly string[], timing: Timing): Promise<void> {
  const command = await within(session.runCommand({ cmd: 'bash', args: ['-c', script, 'bash', ...args], detached: true }), timing.answerMs, 'Vercel');
  const { exitCode } = await command.wait();
  if (exitCode === NO_INPUT) throw new Error('the input did not arrive in the sandbox');
}

/** Throws `SandboxGone`, or another `EnvironmentError`. */
export async function execVercel(sandbox: Sandbox, get: () => Promise<Sandbox>, program: readonly string[], options: LaunchOptions, timing: Timing): Promise<Channel> {
  const session = sandbox.currentSession();
  const explain = async (error: unknown): Promise<ChannelEnd> => {
    const isGone = problem(VERCEL, '', error) instanceof SandboxGone
      || await within(askVercel(sandbox, get), timing.answerMs / 2, 'Vercel').then(() => false, (asked: unknown) => problem(VERCEL, '', asked) instanceof SandboxGone);
    if (isGone) return { exitCode: null, signal: null, dropped: 'the Vercel sandbox ended while the command ran in it', gone: true };
    return { exitCode: null, signal: null, dropped: isNoSpace(error) ? noSpaceIn(VERCEL) : problem(VERCEL, 'the connection to the Vercel sandbox broke', error).message };
  };
  const pipe = options.input ? `/tmp/.talaria-${randomBytes(8).toString('hex')}` : '';
  // Not as the command's own environment: the mark in it would make what carries input and output a part of the tree that is ended.
  const variables = Object.entries(options.env).map(([name, value]) => `${name}=${value}`);
  let command: Command;
  try {
    command = await within(session.runCommand({ cmd: 'bash', args: ['--noprofile', '--norc', '-c', RUN, 'bash', pipe, 'env', ...variables, ...program], detached: true }), timing.answerMs, 'Vercel');
  } catch (error) {
    const end = await explain(error);
    throw end.gone === true ? new SandboxGone('Vercel', error) : startProblem(VERCEL, error);
  }
  const stopped = new AbortController();
  /** Its first output says that the pipe for its input is there. */
  const begun = Promise.withResolvers<undefined>();
  const gate: { open: Promise<void>; release?: () => void } = { open: Promise.resolve() };
  let uploads = 0;
  let endedAsks = 0;
  let paused = false;
  const channel = hostedChannel({
    write: async (bytes) => {
      await begun.promise;
      if (bytes.length < UPLOAD_BYTES) {
        await helper(session, WRITE, [pipe, Buffer.from(bytes).toString('base64'), ''], timing);
        return;
      }
      const path = `${pipe}.${uploads++}`;
      try {
        await within(session.writeFiles([{ path, content: Buffer.from(bytes) }]), timing.createMs, 'Vercel');
        await helper(session, WRITE, [pipe, '', path, String(bytes.length)], timing);
      } catch (error) {
        void helper(session, CLOSE, [pipe, path], timing).catch(() => undefined); // the first error is the one to tell
        throw error;
      }
    },
    closeInput: async () => {
      await begun.promise;
      await helper(session, CLOSE, [pipe], timing);
    },
    resize: () => Promise.resolve(), // there are no terminals
    pause: () => {
      paused = true;
      gate.open = new Promise((resolve) => { gate.release = resolve; });
    },
    resume: () => {
      paused = false;
      gate.release?.();
    },
    destroy: () => {
      gate.release?.();
      stopped.abort();
    },
    explain,
  }, {
    timing, service: 'Vercel',
    ask: async () => {
      // The log comes over a connection of its own: when the command has ended and its log has not, that one is dead.
      const { exitCode } = await session.getCommand(command.cmdId);
      if (exitCode !== null && !paused && ++endedAsks > 1) throw new Error('the output stopped before its end');
    },
  });
  follow(command, { push: (bytes) => { begun.resolve(undefined); channel.push(bytes); } }, gate, stopped.signal)
    .then((exitCode) => channel.finish(exitCode), (error: unknown) => channel.fail(error))
    .finally(() => begun.resolve(undefined));
  return channel;
}

/** Resolves with the exit code after the last byte. */
async function follow(command: Command, channel: Pick<HostedChannel, 'push'>, gate: { readonly open: Promise<void> }, stopped: AbortSignal): Promise<number> {
  const decode = lineDecoder((bytes) => channel.push(bytes));
  for await (const log of command.logs({ signal: stopped })) {
    await gate.open;
    if (log.stream === 'stdout') decode(log.data);
  }
  // A log that was cut off ends like one that is over; the command itself says which it is.
  const { exitCode } = await command.wait({ signal: AbortSignal.any([stopped, AbortSignal.timeout(END_MS)]) });
  return exitCode;
}
