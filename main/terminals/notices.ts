/** What background processes have to tell a chat's model: completions and watch matches, each told once. */
import type { SessionId } from '../../preload/contract/ids.ts';

export interface Notice { readonly processId: string; readonly kind: 'completion' | 'watch' | 'other'; readonly text: string }

export class Notices {
  readonly #waiting = new Map<SessionId, Notice[]>();
  readonly #listeners = new Set<(sessionId: SessionId) => void>();

  add(sessionId: SessionId | null, notice: Notice): void {
    if (sessionId === null) return;
    this.addQuietly(sessionId, notice);
    for (const listener of this.#listeners) listener(sessionId);
  }

  /** Told with the chat's next turn; nothing here is worth a turn of its own. */
  addQuietly(sessionId: SessionId | null, notice: Notice): void {
    if (sessionId === null) return;
    const waiting = this.#waiting.get(sessionId) ?? [];
    waiting.push(notice);
    this.#waiting.set(sessionId, waiting);
  }

  /** The model has learnt of the end by `wait`, `log` or `kill`: it is not told again. */
  withdrawCompletion(sessionId: SessionId | null, processId: string): void {
    const waiting = sessionId === null ? undefined : this.#waiting.get(sessionId);
    if (sessionId === null || waiting === undefined) return;
    this.#waiting.set(sessionId, waiting.filter((notice) => notice.processId !== processId || notice.kind !== 'completion'));
  }

  drain(sessionId: SessionId): string[] {
    const waiting = this.#waiting.get(sessionId) ?? [];
    this.#waiting.delete(sessionId);
    return waiting.map((notice) => notice.text);
  }

  onNotice(listener: (sessionId: SessionId) => void): () => void {
    this.#listeners.add(listener);
    return () => { this.#listeners.delete(listener); };
  }
}
