/** The real host behind the commands. */
import { secretsFile } from '../../config/secrets-file.ts';
import { homePaths } from '../../config/paths.ts';
import { createHost } from '../../host.ts';
import type { Shell } from '../../ports.ts';
import type { CliHost, HostChoices } from './host-port.ts';
import { visibleLine } from './visible.ts';

export async function openHost({ cwd, model, baseUrl, yolo = false, runSchedules = false }: HostChoices): Promise<CliHost> {
  const shell: Shell = {
    name: 'cli',
    secrets: secretsFile(homePaths().secrets),
    /** A link is shown, not opened: the command may run on another machine. */
    openExternal: async (url) => { process.stderr.write(`Open ${visibleLine(url)}\n`); },
    /** Whoever runs the command sees its output. */
    notify: () => undefined,
  };
  const host = await createHost({ shell, cwd, yolo, runSchedules, model: { ...(model === undefined ? {} : { model }), ...(baseUrl === undefined ? {} : { baseUrl }) } });
  return {
    async handle(name, input, caller) {
      // A list for a person or a script should not say that everything is still being connected.
      if (name === 'toolsets.list') await host.ready();
      return host.handle(name, input, caller);
    },
    events: host.events, terminals: host.terminals, log: host.log, approvals: host.approvals, callTool: host.callTool,
    openSession: (name, options) => host.openSession(name, { ...options, origin: 'cli' }),
    close: () => host.close('the command is done'),
  };
}
