/** Hooks around what tools do through services (hermes-runtime 3.3). */
import type { TerminalService } from '../../tools/context.ts';
import type { HookBus } from '../calls/hooks.ts';

/** Terminals whose output plugins may replace before a tool cuts it and hides secrets in it: the first text counts. */
export function hookOutput<Service extends TerminalService>(terminals: Service, hooks: Pick<HookBus, 'has' | 'firstText'>): Service {
  return {
    ...terminals,
    async run(request) {
      const result = await terminals.run(request);
      if (!hooks.has('transform_terminal_output')) return result;
      const output = await hooks.firstText('transform_terminal_output', {
        command: request.command, output: result.output, returncode: result.exitCode, task_id: request.taskId, env_type: terminals.backend(request.taskId),
      });
      return output === undefined ? result : { ...result, output };
    },
  };
}
