/** `checkpoints`: what tools changed in files, and putting it back. */
import { CheckpointId } from '../../../../preload/contract/checkpoints.ts';
import { SessionId } from '../../../../preload/contract/ids.ts';
import type { Checkpoint } from '../../../../preload/contract/index.ts';
import { CALLER, EXIT, UsageError, type CommandContext, type ExitCode } from '../command.ts';
import { print, printJson } from '../streams.ts';
import { visible, visibleLine } from '../visible.ts';

export interface CheckpointChoices {
  readonly session?: string;
  readonly since?: boolean;
}

function idOf(text: string | undefined, action: string): CheckpointId {
  const id = CheckpointId.safeParse(text);
  if (!id.success) throw new UsageError(`checkpoints ${action} takes the id of a checkpoint, such as cp_0123456789ab`, 'Run: talaria checkpoints list');
  return id.data;
}

/** `list`, `diff ID [PATH]`, `restore ID [PATH]`. With `--json` the answer as the app gives it. Exit code 1 when a file could not be put back. */
export function checkpoints(context: CommandContext, action: string, id: string | undefined, path: string | undefined, choices: CheckpointChoices): Promise<ExitCode> {
  switch (action) {
    case 'list': return list(context, choices);
    case 'diff': return diff(context, idOf(id, action), path);
    case 'restore': return restore(context, idOf(id, action), path, choices.since === true);
    default: throw new UsageError(`checkpoints does not know "${action}"`, 'It takes list, diff or restore.');
  }
}

function summary({ id, createdAt, tool, reason, root, skipped }: Checkpoint, { paint }: CommandContext): string {
  const left = skipped.length === 0 ? '' : paint('yellow', `  (${skipped.length} not kept)`);
  return `${id}  ${new Date(createdAt).toISOString().slice(0, 19).replace('T', ' ')}  ${paint('bold', tool.padEnd(10))} ${visibleLine(reason)}${left}\n    ${paint('dim', visibleLine(root))}`;
}

function list(context: CommandContext, { session }: CheckpointChoices): Promise<ExitCode> {
  return context.withHost({}, async (host) => {
    const found = await host.handle('checkpoints.list', session === undefined ? {} : { sessionId: SessionId.parse(session) }, CALLER);
    if (context.json) printJson(context.streams.stdout, found);
    else for (const checkpoint of found) print(context.streams.stdout, summary(checkpoint, context));
    return EXIT.done;
  });
}

function diff(context: CommandContext, id: CheckpointId, path: string | undefined): Promise<ExitCode> {
  return context.withHost({}, async (host) => {
    const answer = await host.handle('checkpoints.diff', { id, ...(path === undefined ? {} : { path }) }, CALLER);
    if (context.json) printJson(context.streams.stdout, answer);
    else print(context.streams.stdout, answer.changes.length === 0 ? 'Nothing is different from then.' : `${visible(answer.text).trimEnd()}${answer.cut ? '\n… (cut)' : ''}`);
    return EXIT.done;
  });
}

function restore(context: CommandContext, id: CheckpointId, path: string | undefined, since: boolean): Promise<ExitCode> {
  const { streams, json, paint } = context;
  return context.withHost({}, async (host) => {
    const answer = await host.handle('checkpoints.restore', { id, since, ...(path === undefined ? {} : { path }) }, CALLER);
    if (json) printJson(streams.stdout, answer);
    else {
      for (const name of answer.restored) print(streams.stdout, `${paint('green', '✓')} ${visibleLine(name)}`);
      for (const name of answer.removed) print(streams.stdout, `${paint('green', '✓')} ${visibleLine(name)} (removed: it was not there then)`);
      for (const name of answer.left) print(streams.stdout, `${paint('dim', '·')} ${visibleLine(name)} (came later; left alone)`);
      for (const { path: name, why } of answer.failed) print(streams.stderr, `${paint('red', '✗')} ${visibleLine(name)}: ${visibleLine(why)}`);
      print(streams.stdout, answer.undo === null ? 'Nothing was changed.' : `To undo: talaria checkpoints restore ${answer.undo}`);
    }
    return answer.failed.length > 0 ? EXIT.failed : EXIT.done;
  });
}
