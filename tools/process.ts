/** The process tool: looks after background processes that the terminal tool started. */
import { ACTIONS, runProcessTool } from './process/handler.ts';
import { registry } from './registry.ts';

registry.register({
  name: 'process',
  toolset: 'terminal',
  emoji: '⚙️',
  // No isAsync: waiting keeps its own limit.
  maxResultSizeChars: 100_000,
  checksOwnArguments: true,
  checkFn: (check) => check.probeBackend(),
  handler: runProcessTool,
  schema: {
    description: 'Look after background processes started with terminal(background=true). list: all of this chat. poll: state and latest output. '
      + 'log: output by lines (offset, limit). wait: until it ends or the time is over. kill: end it with everything it started. '
      + 'write: send text as it is. submit: send text and press Enter. close: end its input.',
    parameters: {
      type: 'object',
      properties: {
        action: { type: 'string', enum: [...ACTIONS], description: 'What to do.' },
        session_id: { type: 'string', description: 'The process, as the terminal tool named it. Needed for all but list.' },
        data: { type: 'string', description: 'Text for write and submit.' },
        timeout: { type: 'integer', description: 'Seconds to wait at most (wait).', minimum: 1 },
        offset: { type: 'integer', description: 'First line of log; left out = the last lines.' },
        limit: { type: 'integer', description: 'Number of lines of log.', minimum: 1, default: 200 },
      },
      required: ['action'],
    },
  },
});
