/** POSIX plumbing that every backend shares: `exec` written once on top of `start`, and paths that survive a missing directory. */
import { posix } from 'node:path';
import { HeadTailBytes } from './shell/bytes.ts';
import type { EnvironmentForTools, ExecResult, RunningProcess, StartSpec } from './base.ts';

export { filterEnvironment } from './shell/filter.ts';
export { homeMounts, type HomeMount } from './shell/home-mounts.ts';
export type { Hosts } from './shell/hosts.ts';
export { RemoteShell, type RemoteFacts } from './shell/remote.ts';
export type { RemoteOwner } from './shell/remote/owner.ts';
export type { FileOperations } from './shell/remote/files.ts';
export { scriptFiles, type RunScript } from './shell/remote/files.ts';
export type { Channel, ChannelEnd, LaunchOptions, Transport } from './shell/remote/channel.ts';
export { containerSettings, DEFAULT_IMAGE, insideDirectory, invalidValue, jsonSetting, numberSetting, textSetting, truthSetting, type ContainerSettings, type ReadSetting } from './shell/settings.ts';
export { loginScript, MAX_COMMAND_ARGUMENT_BYTES, quote, WITHOUT_TERMINALS, wrapCommand } from './shell/wrapper.ts';

/** Between the polite signal and SIGKILL when a helper command is stopped (hermes-runtime 6.2). */
const EXEC_GRACE_MS = 1_000;

export type ExecSpec = Parameters<EnvironmentForTools['exec']>[0];

/** Runs a helper command to its end and collects it. Never rejects for a failing command; `start` may throw `EnvironmentError`. */
export async function execOn(start: (spec: StartSpec) => Promise<RunningProcess>, spec: ExecSpec, defaultCwd: string): Promise<ExecResult> {
  const isAborted = () => spec.signal?.aborted === true;
  if (isAborted()) {
    return { exitCode: null, signal: null, why: 'abort', output: new Uint8Array(), truncated: false };
  }
  const collected = new HeadTailBytes(spec.maxBytes);
  const running = await start({
    command: spec.command, cwd: spec.cwd ?? defaultCwd, shell: 'plain',
    ...(spec.stdin === undefined ? {} : { stdin: spec.stdin }),
  });
  running.onOutput((bytes) => collected.push(bytes));
  const stop = (why: 'abort' | 'timeout') => { void running.end({ why, signal: 'SIGTERM', graceMs: EXEC_GRACE_MS }); };
  const timer = setTimeout(() => stop('timeout'), spec.timeoutMs);
  const onAbort = () => stop('abort');
  // It may have been aborted while the command was being started.
  if (isAborted()) onAbort();
  spec.signal?.addEventListener('abort', onAbort, { once: true });
  const end = await running.ended;
  clearTimeout(timer);
  spec.signal?.removeEventListener('abort', onAbort);
  return { ...end, output: collected.bytes(), truncated: collected.truncated };
}

/** The directory itself, or the nearest ancestor that exists. `/` always does. */
export async function nearestDirectory(environment: Pick<EnvironmentForTools, 'stat'>, path: string): Promise<string> {
  for (let candidate = path; ; candidate = posix.dirname(candidate)) {
    const found = await environment.stat(candidate);
    if (found?.kind === 'directory' || candidate === '/' || candidate === '.') return candidate === '.' ? '/' : candidate;
  }
}
