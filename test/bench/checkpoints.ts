/** How long a checkpoint holds a tool up: before a file is written, and before a command destroys a directory of a repository of ordinary size. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCheckpoints } from '../../main/checkpoints/checkpoints.ts';
import { systemClock } from '../../main/clock.ts';
import { createIds } from '../../main/ids.ts';
import { silentLog } from '../../main/log.ts';
import { createLocalEnvironment, LocalMachine } from '../../environments/local.ts';
import { median, percentile, type Figure } from '../support/figures.ts';

const FILES = 3_000;
const FILES_PER_FOLDER = 50;
const FILE_BYTES = 4_000;
const ROUNDS = 21;

export async function bench(): Promise<Figure[]> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'talaria-bench-')));
  const repository = join(folder, 'repository');
  for (let index = 0; index < FILES; index++) {
    const directory = join(repository, 'src', `module-${Math.floor(index / FILES_PER_FOLDER)}`);
    if (index % FILES_PER_FOLDER === 0) mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, `file-${index}.ts`), `// ${index}\n`.padEnd(FILE_BYTES, `const value${index} = ${index};\n`));
  }
  execFileSync('git', ['init', '-q'], { cwd: repository });
  const machine = new LocalMachine({ env: process.env });
  const environment = createLocalEnvironment(machine, { cwd: repository });
  await environment.open();
  const checkpoints = createCheckpoints({
    directory: join(folder, 'checkpoints'), config: { get: () => undefined }, clock: systemClock, ids: createIds(), log: silentLog, redact: (text) => text, git: () => 'git',
    environment: () => Promise.resolve(environment), cwd: () => repository, tell: () => undefined,
  });
  const keep = async (path: string): Promise<number> => {
    const began = performance.now();
    await checkpoints.keep({ taskId: 'bench', sessionId: 'bench', toolCallId: 'bench', tool: 'write_file', paths: [path] });
    return performance.now() - began;
  };
  try {
    const first = await keep(join(repository, 'src', 'module-0', 'file-0.ts'));
    const writes: number[] = [];
    for (let round = 0; round < ROUNDS; round++) writes.push(await keep(join(repository, 'src', 'module-1', `file-${FILES_PER_FOLDER + round}.ts`)));
    const whole = await keep(repository);
    const again: number[] = [];
    for (let round = 0; round < ROUNDS; round++) again.push(await keep(repository));
    return [
      { name: 'checkpoint before a write, first of a directory', value: first, unit: 'ms', bar: '≤ 300' },
      { name: 'checkpoint before a write, median', value: median(writes), unit: 'ms', bar: '≤ 300' },
      { name: 'checkpoint before a write, slowest of 21', value: percentile(writes, 1), unit: 'ms', bar: '≤ 300' },
      { name: `checkpoint of a whole repository of ${FILES} files, first`, value: whole, unit: 'ms' },
      { name: `checkpoint of a whole repository of ${FILES} files, later, median`, value: median(again), unit: 'ms' },
    ];
  } finally {
    await checkpoints.close();
    await machine.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
