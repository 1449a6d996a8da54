/** The terminal tool: runs shell commands in the chat's environment. */
import { registry } from './registry.ts';
import { runTerminalTool } from './terminal/handler.ts';

registry.register({
  name: 'terminal',
  toolset: 'terminal',
  emoji: '💻',
  // No isAsync: a foreground command may run for 600 s and keeps its own limit.
  maxResultSizeChars: 100_000,
  // Each mistake has an answer of its own shape (hermes-runtime 5.1).
  checksOwnArguments: true,
  checkFn: (check) => check.probeBackend(),
  handler: runTerminalTool,
  schema: {
    description: 'Run a shell command (bash). Directory, exported variables, functions and aliases are kept between calls of this chat. '
      + 'Output is cut in the middle when it is long; the whole of it is then in a file. '
      + 'Commands that need longer than the time limit, and servers, go into the background: background=true answers at once with a session_id for the process tool. '
      + 'Prefer read_file, write_file, patch and search_files over cat, echo, sed and grep. '
      + 'Use pty=true for programs that need a terminal; when such a program asks for a password, the user types it, never you.',
    parameters: {
      type: 'object',
      properties: {
        command: { type: 'string', description: 'The command line to run.' },
        background: { type: 'boolean', description: 'Start it and answer at once.', default: false },
        timeout: { type: 'integer', description: 'Seconds to wait in the foreground (default 180, at most 600). Does not limit background processes.', minimum: 1 },
        workdir: { type: 'string', description: 'Directory for this one call; the chat\'s own directory stays where it is.' },
        pty: { type: 'boolean', description: 'Run on a pseudo-terminal.', default: false },
        notify_on_complete: { type: 'boolean', description: 'Background: be told once when it ends, with its exit code and the end of its output.', default: false },
        watch_patterns: { type: 'array', items: { type: 'string' }, description: 'Background: be told when a line of output contains one of these texts. Not together with notify_on_complete.' },
      },
      required: ['command'],
    },
  },
});
