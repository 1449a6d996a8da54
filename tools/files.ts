/** The file tools: read_file, write_file, patch, search_files. They act where the terminal acts. */
import { EnvironmentError, type EnvironmentErrorCode } from '../environments/base.ts';
import { patchFiles } from './files/patch.ts';
import { readFile } from './files/read.ts';
import { endRepeats, forgetReads } from './files/read-state.ts';
import { searchFiles } from './files/search.ts';
import { writeFile } from './files/write.ts';
import { type CheckFunction, registry } from './registry.ts';
import { toolError } from './result.ts';

/** What a place says about a path is an answer, not a fault of the tool: it goes to the model in words, with the next step. */
const inWords = (handler: typeof readFile): typeof readFile => async (args, context) => {
  try {
    return await handler(args, context);
  } catch (error) {
    if (!(error instanceof EnvironmentError)) throw error;
    const step = error.hint ?? NEXT_STEPS.get(error.code);
    return toolError(`${error.message}.${step === undefined ? '' : ` ${step}`}`, { code: error.code });
  }
};

const NEXT_STEPS = new Map<EnvironmentErrorCode, string>([
  ['denied', 'Choose another place, or ask the user for the permission.'], ['not-found', 'Check the path with search_files (target files).'],
  ['exists', 'A file stands where a folder of the path would be: choose another path.'], ['not-a-directory', 'A part of the path is a file: choose another path.'],
  ['not-a-file', 'Only regular files are read and written.'], ['unreachable', 'Try again later.'],
]);

/** A backend that cannot be reached hides the file tools together with the terminal (hermes-runtime 6.10). */
const backendAnswers: CheckFunction = (check) => check.probeBackend();

registry.register({
  name: 'read_file',
  toolset: 'file',
  emoji: '📖',
  isAsync: true,
  checkFn: backendAnswers,
  // A stored result must stay readable by this very tool, so it is never moved to a file itself (hermes-runtime 3.7).
  maxResultSizeChars: Number.POSITIVE_INFINITY,
  handler: inWords(readFile),
  schema: {
    description: "Read a text file with line numbers (each line is shown as N|text). Use it instead of cat, head or tail. Page through long files with offset and limit. Notebooks, Word, Excel and PDF files are shown as text. Binary files, devices and files that hold credentials are refused.",
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string', description: "File to read: absolute, relative to the terminal's directory, or starting with ~/." },
        offset: { type: 'integer', description: 'First line to show, counted from 1.', minimum: 1, default: 1 },
        limit: { type: 'integer', description: 'Number of lines to show at most.', minimum: 1, maximum: 2_000, default: 500 },
      },
      required: ['path'],
    },
  },
});

registry.register({
  name: 'write_file',
  toolset: 'file',
  emoji: '✍️',
  checkFn: backendAnswers,
  maxResultSizeChars: 100_000,
  handler: inWords(writeFile),
  schema: {
    description: 'Write a whole file, replacing what it holds; parent directories are created. Use patch to change a part of an existing file. The text is checked for syntax after writing and new errors are reported.',
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string', description: "File to write: absolute, relative to the terminal's directory, or starting with ~/." },
        content: { type: 'string', description: 'The complete new text of the file.' },
        cross_profile: { type: 'boolean', description: "Allow writing into another profile's directory.", default: false },
      },
      required: ['path', 'content'],
    },
  },
});

registry.register({
  name: 'patch',
  toolset: 'file',
  emoji: '🔧',
  checkFn: backendAnswers,
  maxResultSizeChars: 100_000,
  handler: inWords(patchFiles),
  schema: {
    description: "Change files. Mode 'replace': find old_string in one file and put new_string in its place; small differences in blanks, indentation and quotes are tolerated, and the place must be unique unless replace_all is set. Mode 'patch': a V4A patch over several files (*** Begin Patch / *** Update File: p / @@ line above @@ / lines led by space, - or + / *** End Patch; also Add File, Delete File, Move File: a -> b); it is applied whole or not at all. The result shows a unified diff.",
    parameters: {
      type: 'object',
      properties: {
        mode: { type: 'string', enum: ['replace', 'patch'], default: 'replace' },
        path: { type: 'string', description: "File to change (mode 'replace')." },
        old_string: { type: 'string', description: "Text as it stands in the file, with enough lines around it to be unique (mode 'replace')." },
        new_string: { type: 'string', description: "Text to put in its place; empty deletes (mode 'replace')." },
        replace_all: { type: 'boolean', description: 'Replace every occurrence.', default: false },
        patch: { type: 'string', description: "The V4A patch (mode 'patch')." },
        cross_profile: { type: 'boolean', description: "Allow writing into another profile's directory.", default: false },
      },
      required: [],
    },
  },
});

registry.register({
  name: 'search_files',
  toolset: 'file',
  emoji: '🔎',
  isAsync: true,
  checkFn: backendAnswers,
  maxResultSizeChars: 100_000,
  handler: inWords(searchFiles),
  schema: {
    description: "Search files by content (a regular expression) or, with target 'files', by name (newest first). Use it instead of grep, rg, find or ls. Ignored files are left out, as are .git and .env files.",
    parameters: {
      type: 'object',
      properties: {
        pattern: { type: 'string', description: "Regular expression for content; name or glob such as *.ts for target 'files'." },
        target: { type: 'string', description: "'content' or 'files'.", enum: ['content', 'files', 'grep', 'find'], default: 'content' },
        path: { type: 'string', description: 'Directory or file to search in.', default: '.' },
        file_glob: { type: 'string', description: 'Only files whose name fits, for example *.py.' },
        limit: { type: 'integer', description: 'Most results to return.', minimum: 1, maximum: 1_000, default: 50 },
        offset: { type: 'integer', description: 'Results to skip.', minimum: 0, default: 0 },
        output_mode: { type: 'string', description: "'content' with lines, 'files_only', or 'count' per file.", enum: ['content', 'files_only', 'count'], default: 'content' },
        context: { type: 'integer', description: 'Lines to show around each match.', minimum: 0, maximum: 20, default: 0 },
      },
      required: ['pattern'],
    },
  },
});

// A row of identical reads is a loop only when nothing else happened in between (hermes-runtime 3.1).
registry.onDispatch(({ name }, { sessionId, taskId }) => {
  if (name !== 'read_file' && name !== 'search_files') endRepeats(`${sessionId}/${taskId}`);
});
registry.onContextTrimmed(forgetReads);
