/** Plugins in Electron run in utility processes: a packaged Electron does not start as Node. */
import { utilityProcess } from 'electron';
import type { Shell } from '../../ports.ts';

export const forkUtility: NonNullable<Shell['fork']> = (module) => {
  const child = utilityProcess.fork(module, [], { serviceName: 'Talaria plugin', stdio: 'pipe', execArgv: [] });
  let ended = false;
  child.on('exit', () => { ended = true; });
  return {
    send: (message) => { if (!ended) child.postMessage(message); },
    onMessage: (listener) => { child.on('message', listener); },
    onOutput(listener) { for (const stream of [child.stdout, child.stderr]) stream?.on('data', (bytes: Buffer) => { listener(bytes.toString('utf8')); }); },
    onEnd: (listener) => { child.on('exit', (code) => { listener(`exit code ${String(code)}`); }); },
    kill() {
      // Its own `kill` asks; a loop does not listen.
      if (child.pid !== undefined && !ended) process.kill(child.pid, 'SIGKILL');
      else child.kill();
    },
  };
};
