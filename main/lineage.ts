/** Who sent a sub-agent's chat: kept beside the chats, so that what a person grants in a chat reaches the agents it sends out. */
import { z } from 'zod';
import { SessionId } from '../preload/contract/ids.ts';
import type { Storage } from './ports.ts';

const Stored = z.object({ parent: SessionId, depth: z.number() });
export type Lineage = z.infer<typeof Stored>;

/** Deeper than delegation goes (hermes-runtime 7.3); a damaged store must not make a walk endless. */
const MOST_STEPS = 16;

const keyOf = (sessionId: string): string => `delegate:${sessionId}`;

export function writeLineage(values: Storage['values'], sessionId: SessionId, lineage: Lineage): void {
  values.set(keyOf(sessionId), JSON.stringify(lineage));
}

/** Undefined for a chat that no other one has sent out. */
export function lineageOf(values: Pick<Storage['values'], 'get'>, sessionId: string): Lineage | undefined {
  const text = values.get(keyOf(sessionId));
  return text === undefined ? undefined : Stored.parse(JSON.parse(text));
}

/** The chat itself, the one that sent it out, and so on up to the one a person talks to. */
export function chainOf(values: Pick<Storage['values'], 'get'>, sessionId: SessionId): SessionId[] {
  const chain = [sessionId];
  for (let parent = lineageOf(values, sessionId)?.parent; parent !== undefined && !chain.includes(parent) && chain.length < MOST_STEPS; parent = lineageOf(values, parent)?.parent) chain.push(parent);
  return chain;
}

/** The chat that a person talks to, or that started by itself. */
export const rootOf = (values: Pick<Storage['values'], 'get'>, sessionId: SessionId): SessionId => chainOf(values, sessionId).at(-1) ?? sessionId;
