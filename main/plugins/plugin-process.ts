/** Starts the process of one plugin; Electron's shell brings its own way, because a packaged Electron is no Node. */
import { fork } from 'node:child_process';
import { Socket } from 'node:net';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ForkedProcess, Shell } from '../ports.ts';

/** The same folder in the sources (.ts) and in the build (.js). Threads and programs are not started from inside an archive: these files lie beside it. */
export function processModule(own = import.meta.url): string {
  return fileURLToPath(new URL(`./worker/process${extname(new URL(own).pathname)}`, own)).replace(/([\\/][^\\/]+\.asar)(?=[\\/])/, '$1.unpacked');
}

export const forkNode: NonNullable<Shell['fork']> = (module) => {
  // Structured copies, as between threads. Flags of this process (a test runner's, a debugger's) are not the plugin's.
  const child = fork(module, { execArgv: [], serialization: 'advanced', stdio: ['ignore', 'pipe', 'pipe', 'ipc'], windowsHide: true });
  // A plugin that waits for nothing must not keep a command of ours from ending.
  child.unref();
  child.channel?.unref();
  for (const stream of [child.stdout, child.stderr]) if (stream instanceof Socket) stream.unref();
  const forked: ForkedProcess = {
    // What is sent to a process that has just ended is answered by its end.
    send: (message) => { if (child.connected) child.send(message as object, () => undefined); }, // cast: plugin-worker.ts sends objects
    onMessage: (listener) => { child.on('message', listener); },
    onOutput(listener) { for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', listener); },
    onEnd(listener) {
      child.on('exit', (code, signal) => { listener(signal ?? `exit code ${String(code)}`); });
      child.on('error', (error) => { listener(error.message); });
    },
    kill: () => { child.kill('SIGKILL'); },
  };
  return forked;
};
