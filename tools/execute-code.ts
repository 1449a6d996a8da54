/** execute_code: a script that calls the tools of the chat itself, where the chat's terminal works. */
import { posix } from 'node:path';
import { type CheckFunction, registry } from './registry.ts';
import { executeCode } from './execute-code/run.ts';

const backendAnswers: CheckFunction = async (check) => {
  const answer = await check.probeBackend();
  if (answer !== true && answer !== undefined) return answer;
  if (check.backend !== 'local' || ['python3', 'python', 'node'].some((program) => check.which(program) !== undefined)) return true;
  return { step: 'missing-program', message: `Neither python3 nor node was found in ${check.path.split(posix.delimiter).slice(0, 12).join(posix.delimiter)}.`, fix: 'Install Python 3.8 or newer, or Node.' };
};

registry.register({
  name: 'execute_code',
  toolset: 'code_execution',
  emoji: '🐍',
  checkFn: backendAnswers,
  checksOwnArguments: true,
  maxResultSizeChars: 100_000,
  handler: (args, context) => executeCode(args, context, (name) => registry.getEntry(name)?.schema),
  schema: {
    description: [
      'Run a Python script that calls tools itself. Use it when three or more calls depend on each other, for loops over many files or pages, and to cut large results down before you see them: only what the script prints comes back. Not for a single call and not for plain shell work.',
      'In the script: from hermes_tools import … (each returns a dict; failures have an "error" field):',
      '  web_search(query, limit=5)',
      '  web_extract(urls)',
      '  read_file(path, offset=1, limit=500, raw=False): raw=True gives the text without line numbers',
      '  write_file(path, content)',
      '  search_files(pattern, target="content", path=".", …)',
      '  patch(path=…, old_string=…, new_string=…)',
      '  terminal(command, timeout=…, workdir=…): in the foreground only',
      'Also there: json_parse(text), shell_quote(text), retry(function, attempts=3, delay=1.0).',
      'Limits: 5 minutes (time a person takes to answer does not count), 50 tool calls, 50,000 bytes of output. Commands that need approval still ask.',
    ].join('\n'),
    parameters: {
      type: 'object',
      properties: {
        code: { type: 'string', description: 'The whole script. Print what you want to know.' },
        language: { type: 'string', enum: ['python', 'javascript'], default: 'python', description: "'javascript' runs it with Node: import { terminal } from 'hermes_tools', and await each call." },
      },
      required: ['code'],
    },
  },
});
