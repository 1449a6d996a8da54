/** The truth about one terminal's screen: an xterm without a window, fed with every byte. */
import serialize from '@xterm/addon-serialize';
import headless from '@xterm/headless';

type HeadlessTerminal = InstanceType<typeof headless.Terminal>;

/** Lines kept above the screen: 12 B a cell make 14 MB for 120 × 10,000; half of that shows all that a person scrolls through. */
const SCROLLBACK_LINES = 5_000;
/** Bytes waiting for the parser above which the program is paused, and below which it goes on. xterm's guide advises at most 500 kB. */
const HIGH_BYTES = 400_000;
const LOW_BYTES = 100_000;

export interface ScreenEvents {
  /** The parser is behind (true) or has caught up (false). */
  onBusy(busy: boolean): void;
  onAlternate(alternate: boolean): void;
  /** Answers of the terminal to queries in the output (cursor position, device attributes). */
  onReply(data: string): void;
}

export class Screen {
  readonly #terminal: HeadlessTerminal;
  readonly #serializer = new serialize.SerializeAddon();
  readonly #events: ScreenEvents;
  #pending = 0;
  #busy = false;
  #disposed = false;

  constructor(cols: number, rows: number, events: ScreenEvents) {
    this.#events = events;
    this.#terminal = new headless.Terminal({ cols, rows, scrollback: SCROLLBACK_LINES, allowProposedApi: true });
    // The addon is typed for the terminal with a window; it uses the buffer, which both have.
    this.#terminal.loadAddon(this.#serializer as unknown as Parameters<HeadlessTerminal['loadAddon']>[0]);
    this.#terminal.onData((data) => events.onReply(data));
    this.#terminal.buffer.onBufferChange((buffer) => events.onAlternate(buffer.type === 'alternate'));
  }

  write(bytes: Uint8Array): void {
    if (this.#disposed) return;
    this.#pending += bytes.length;
    this.#terminal.write(bytes, () => this.#parsed(bytes.length));
    if (!this.#busy && this.#pending > HIGH_BYTES) {
      this.#busy = true;
      this.#events.onBusy(true);
    }
  }

  #parsed(length: number): void {
    this.#pending -= length;
    if (!this.#busy || this.#pending > LOW_BYTES) return;
    this.#busy = false;
    this.#events.onBusy(false);
  }

  get cols(): number {
    return this.#terminal.cols;
  }

  get rows(): number {
    return this.#terminal.rows;
  }

  resize(cols: number, rows: number): void {
    if (!this.#disposed) this.#terminal.resize(cols, rows);
  }

  /** Resolves when everything written before this call is on the screen; what is written later is not. */
  settled<T>(read: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      // The callback runs between two writes, before the next one is parsed.
      this.#terminal.write('', () => {
        try {
          resolve(read());
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      });
    });
  }

  /** Escape sequences that draw this screen and its scrollback, at most `maxChars` (oldest lines are left out). Call within `settled`. */
  serialized(maxChars = Number.POSITIVE_INFINITY): string {
    let lines = SCROLLBACK_LINES;
    let text = this.#serializer.serialize();
    while (text.length > maxChars && lines > 0) {
      lines = Math.floor(Math.min(lines, this.#terminal.buffer.normal.length) / 2);
      text = this.#serializer.serialize({ scrollback: lines });
    }
    return text;
  }

  /** Plain text of what is visible, without trailing blank lines. Call within `settled`. */
  visibleText(): string {
    const { active } = this.#terminal.buffer;
    const lines = Array.from({ length: this.#terminal.rows }, (_, row) => active.getLine(active.baseY + row)?.translateToString(true) ?? '');
    return lines.join('\n').trimEnd();
  }

  /** Plain text of everything kept. Call within `settled`. */
  allText(): string {
    const { active } = this.#terminal.buffer;
    let text = '';
    for (let row = 0; row < active.length; row++) {
      const line = active.getLine(row);
      if (line !== undefined) text += (row > 0 && !line.isWrapped ? '\n' : '') + line.translateToString(true);
    }
    return text.trimEnd();
  }

  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    this.#terminal.dispose();
  }
}
