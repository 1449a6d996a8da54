/** A host that serves messengers and scheduled work in a process of its own, to be killed: `node host-process.ts HOME FOLDER`. Prints `serving` when it does, `connected` and the messenger for each that is. */
import { createHost } from '../../../main/host.ts';

const [, , home = '', folder = ''] = process.argv;
const host = await createHost({
  home, cwd: folder, runSchedules: true,
  shell: {
    name: 'test', openExternal: () => Promise.resolve(), notify: () => undefined,
    secrets: { get: () => Promise.resolve(undefined), set: () => Promise.resolve(), warning: undefined },
  },
});
const caller = { via: 'test', client: 'process' } as const;
const told = new Set<string>();
host.events.subscribe('gateway', () => {
  void host.handle('gateway.state', {}, caller).then((states) => {
    for (const { name, status } of states) {
      if (status !== 'connected' || told.has(name)) continue;
      told.add(name);
      process.stdout.write(`connected ${name}\n`);
    }
  });
});
await host.handle('gateway.start', {}, caller);
process.stdout.write('serving\n');
