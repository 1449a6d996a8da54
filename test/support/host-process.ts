/**
 * A host in a process of its own that can be killed: `node host-process.ts HOME FOLDER TEXT`. Opens a chat, says the text, and prints
 * one line per call that runs or waits: `running NAME` or `waiting NAME`; the first line is the chat's id.
 */
import { createHost } from '../../main/host.ts';

const [, , home = '', folder = '', text = ''] = process.argv;
const host = await createHost({
  home, cwd: folder,
  shell: {
    name: 'test', openExternal: () => Promise.resolve(), notify: () => undefined,
    secrets: { get: () => Promise.resolve(undefined), set: () => Promise.resolve(), warning: undefined },
  },
});
host.approvals.addSurface('test');
const session = await host.openSession(undefined);
host.events.subscribe('chat', (event) => {
  if (event.type !== 'call-changed') return;
  const { call } = event;
  if (call.state === 'waiting' || (call.state === 'running' && (call.name !== 'terminal' || call.terminalId !== null))) process.stdout.write(`${call.state} ${call.name}\n`);
});
process.stdout.write(`${session.id}\n`);
await host.handle('chat.send', { sessionId: session.id, text }, { via: 'test', client: 'process' });
