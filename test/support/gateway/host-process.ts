/** A host that serves messengers in a process of its own, to be killed: `node host-process.ts HOME FOLDER`. Prints `serving` when it does. */
import { createHost } from '../../../main/host.ts';

const [, , home = '', folder = ''] = process.argv;
const host = await createHost({
  home, cwd: folder,
  shell: {
    name: 'test', openExternal: () => Promise.resolve(), notify: () => undefined,
    secrets: { get: () => Promise.resolve(undefined), set: () => Promise.resolve(), warning: undefined },
  },
});
await host.handle('gateway.start', {}, { via: 'test', client: 'process' });
process.stdout.write('serving\n');
