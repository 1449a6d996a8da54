/** Background delegations whose result the chat has not got yet: kept, so that the end of the app loses none. */
import { z } from 'zod';
import { SessionId } from '../../preload/contract/ids.ts';
import type { JsonObject } from '../../tools/context.ts';
import type { Log, Storage } from '../ports.ts';
import { reportOf, type ChildEnd } from './delegate-report.ts';

const Open = z.object({ parent: SessionId, children: z.array(SessionId) });
const Stored = z.record(z.string(), Open);
export type OpenDelegation = z.infer<typeof Open>;

const KEY = 'delegations:open';

export interface OpenDelegations {
  begin(id: string, parent: SessionId): void;
  addChild(id: string, child: SessionId): void;
  end(id: string): void;
  all(): [string, OpenDelegation][];
}

export function createOpenDelegations(values: Storage['values'], log: Log): OpenDelegations {
  const read = (): Record<string, OpenDelegation> => {
    const text = values.get(KEY);
    if (text === undefined) return {};
    const parsed = Stored.safeParse(JSON.parse(text));
    if (!parsed.success) log.warn('the list of open delegations cannot be read; their results stay in their own chats');
    return parsed.success ? parsed.data : {};
  };
  const write = (open: Record<string, OpenDelegation>): void => { values.set(KEY, Object.keys(open).length === 0 ? undefined : JSON.stringify(open)); };
  return {
    begin: (id, parent) => { write({ ...read(), [id]: { parent, children: [] } }); },
    addChild(id, child) {
      const open = read();
      const found = open[id];
      if (found !== undefined) write({ ...open, [id]: { ...found, children: [...found.children, child] } });
    },
    end(id) {
      const { [id]: _done, ...rest } = read();
      write(rest);
    },
    all: () => Object.entries(read()),
  };
}

/** What became of the sub-agents of an earlier run, from their chats alone. */
export function resultAfterRestart(storage: Pick<Storage, 'sessions' | 'messages'>, { children }: OpenDelegation): JsonObject {
  const results = children.map((child, index) => {
    const last = storage.messages.transcript(child).findLast((message) => message.role === 'assistant');
    const end: ChildEnd = last?.state === 'complete' && last.calls.length === 0 ? { kind: 'done' } : { kind: 'stopped' };
    return reportOf(storage, child, index, end, 0);
  });
  return { note: 'The app was closed meanwhile; this is how far the sub-agents came.', results };
}
