/** What a person types into the forms that try tools, and what came back: kept by chat and tool while the panel is not shown. */
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { ErrorShape } from '../../../preload/contract/errors.ts';
import type { SessionId } from '../../../preload/contract/ids.ts';
import type { TriedTool } from '../../../preload/contract/settings.ts';
import { bridge, toErrorShape } from '../../bridge.ts';
import { showFailure } from '../../ui/show-failure.ts';
import type { Typed } from './try-model.ts';

export interface Trial {
  readonly open: boolean;
  /** Only fields that were touched; the others have what the schema says. */
  readonly typed: Typed;
  readonly problems: Readonly<Record<string, string>>;
  /** Number of the call that goes on. */
  readonly running?: string | undefined;
  readonly answer?: TriedTool | undefined;
  readonly refused?: ErrorShape | undefined;
}

const CLOSED: Trial = { open: false, typed: {}, problems: {} };
/** A window that is open for months has seen many chats; what was typed last is kept. */
const MOST_TRIALS = 200;

const store = createStore<ReadonlyMap<string, Trial>>()(() => new Map());

const keyOf = (sessionId: SessionId, tool: string): string => `${sessionId} ${tool}`;

function change(key: string, next: Partial<Trial>): void {
  store.setState((trials) => {
    const changed = new Map(trials);
    const trial = { ...(changed.get(key) ?? CLOSED), ...next };
    changed.delete(key);
    changed.set(key, trial);
    for (const [oldest, { running }] of changed) {
      if (changed.size <= MOST_TRIALS) break;
      if (running === undefined) changed.delete(oldest);
    }
    return changed;
  }, true);
}

export interface Trials extends Trial {
  show(open: boolean): void;
  type(name: string, value: string): void;
  complain(problems: Trial['problems']): void;
  /** Everything as the schema says. */
  empty(): void;
  /** Never rejects. */
  run(args: Record<string, unknown>): Promise<void>;
  stop(): void;
}

/** The trial of one tool in one chat. */
export function useTrial(sessionId: SessionId, tool: string): Trials {
  const key = keyOf(sessionId, tool);
  const trial = useStore(store, (trials) => trials.get(key)) ?? CLOSED;
  return {
    ...trial,
    show(open) { change(key, { open }); },
    type(name, value) { change(key, { typed: { ...trial.typed, [name]: value } }); },
    complain(problems) { change(key, { problems }); },
    empty() { change(key, { typed: {}, problems: {}, answer: undefined, refused: undefined }); },
    async run(args) {
      const tryId = crypto.randomUUID();
      change(key, { running: tryId, answer: undefined, refused: undefined });
      try {
        change(key, { answer: await bridge.request('tools.try', { sessionId, tryId, name: tool, args }) });
      } catch (error) {
        change(key, { refused: toErrorShape(error) });
      } finally {
        change(key, { running: undefined });
      }
    },
    stop() { if (trial.running !== undefined) bridge.request('tools.stop', { tryId: trial.running }).catch(showFailure); },
  };
}

/** Whether a form of that tool is open in that chat, so that the rows around it open too. */
export function useIsTrying(sessionId: SessionId | undefined, tools: readonly string[]): boolean {
  return useStore(store, (trials) => sessionId !== undefined && tools.some((tool) => trials.get(keyOf(sessionId, tool))?.open === true));
}
