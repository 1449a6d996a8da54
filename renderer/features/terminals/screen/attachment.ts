/** One view's line to one terminal: a snapshot, then live bytes, acknowledged as they are drawn. */
import type { Talaria } from '../../../../preload/contract/index.ts';
import type { TerminalId } from '../../../../preload/contract/ids.ts';
import type { Terminal } from '../../../../preload/contract/terminal.ts';

/** Told to the host after this many drawn bytes, or when nothing is left to draw. The host resumes a paused program below 5,000 (contract). */
const ACK_EVERY_BYTES = 4_096;

/** Something that draws: `done` is called when the bytes were really parsed. */
export interface Drawing {
  /** Starts again from nothing at this size, with this text. */
  restart(terminal: Terminal, snapshot: string): void;
  write(bytes: Uint8Array, done: () => void): void;
}

export class Attachment {
  readonly #talaria: Talaria;
  readonly #id: TerminalId;
  readonly #drawing: Drawing;
  readonly #onFailure: (error: unknown) => void;
  #number: number | undefined;
  #stopOutput: (() => void) | undefined;
  readonly #stopStatus: () => void;
  /** Grows with each try to attach; an answer to an older one is given back. */
  #try = 0;
  #closed = false;
  #pendingWrites = 0;
  #unacknowledged = 0;

  /** Attaches at once and again each time the line to the host is up. */
  constructor(talaria: Talaria, id: TerminalId, drawing: Drawing, onFailure: (error: unknown) => void) {
    this.#talaria = talaria;
    this.#id = id;
    this.#drawing = drawing;
    this.#onFailure = onFailure;
    let wasOpen = false;
    this.#stopStatus = talaria.onStatus((status) => {
      if (status === 'open' && !wasOpen) void this.#attach();
      wasOpen = status === 'open';
    });
  }

  close(): void {
    this.#closed = true;
    this.#stopStatus();
    this.#letGo();
  }

  async #attach(): Promise<void> {
    this.#stopOutput?.();
    this.#stopOutput = undefined;
    this.#number = undefined;
    this.#try += 1;
    const mine = this.#try;
    try {
      const attached = await this.#talaria.request('terminals.attach', { id: this.#id });
      if (this.#closed || mine !== this.#try) {
        this.#detach(attached.attachment);
        return;
      }
      const { attachment } = attached;
      this.#number = attachment;
      this.#unacknowledged = 0;
      this.#drawing.restart(attached.terminal, attached.snapshot);
      this.#stopOutput = this.#talaria.onOutput(attachment, (bytes) => { this.#draw(attachment, bytes); });
    } catch (error) {
      if (!this.#closed && mine === this.#try) this.#onFailure(error);
    }
  }

  #draw(attachment: number, bytes: Uint8Array): void {
    this.#pendingWrites += 1;
    this.#drawing.write(bytes, () => {
      this.#pendingWrites -= 1;
      if (attachment !== this.#number) return;
      this.#unacknowledged += bytes.length;
      if (this.#unacknowledged < ACK_EVERY_BYTES && this.#pendingWrites > 0) return;
      const drawn = this.#unacknowledged;
      this.#unacknowledged = 0;
      /** A lost acknowledgement is a lost line; the next attach starts counting anew. */
      this.#talaria.request('terminals.ack', { attachment, bytes: drawn }).catch(() => undefined);
    });
  }

  #letGo(): void {
    this.#stopOutput?.();
    this.#stopOutput = undefined;
    if (this.#number !== undefined) this.#detach(this.#number);
    this.#number = undefined;
  }

  #detach(attachment: number): void {
    /** When the line is lost the host has let go already. */
    this.#talaria.request('terminals.detach', { attachment }).catch(() => undefined);
  }
}
