/** Output of one command: head and tail as text for the model, all of it on disk once it is too much for memory. */
import { createWriteStream, type WriteStream } from 'node:fs';
import { HEAD_SHARE } from '../../environments/shell/bytes.ts';
import type { Clock } from '../ports.ts';
import { countLines } from './bytes.ts';

/** Unwritten bytes above which the program waits for the disk, and below which it goes on. */
const DISK_HIGH_BYTES = 8 * 1024 * 1024;
const DISK_LOW_BYTES = 1024 * 1024;
/** A terminal gives 4 KiB at a time: written one by one, a flood spends more time on starting writes than on all else (0.74 of 2 s for 100 MB). */
const GATHER_BYTES = 128 * 1024;
/** What was not written to disk after this long is lost with a host that is killed. */
const GATHER_MS = 20;
/** A runaway program must not fill the disk: after this many bytes only head and tail are kept, and the file says so. */
export const MAX_CAPTURE_BYTES = 4 * 1024 ** 3;

export interface CaptureOptions {
  readonly path: string;
  /** Characters for the model. */
  readonly maxChars: number;
  /** Lines that a screen keeps: output with more of them has its file too, or its first lines would be nowhere. */
  readonly maxLines: number;
  /** Writes the file from the first byte on instead of on overflow (background: it must outlive the host). */
  readonly eager: boolean;
  readonly clock: Pick<Clock, 'after'>;
  onDiskBusy(busy: boolean): void;
  /** Told once; the command goes on. */
  onDiskError(error: Error): void;
}

export class Capture {
  readonly #options: CaptureOptions;
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  readonly #headLimit: number;
  readonly #tailLimit: number;
  #head = '';
  #tail: string[] = [];
  #tailChars = 0;
  #totalChars = 0;
  #bytes = 0;
  #earlyLines = 0;
  #early: Uint8Array[] | undefined = [];
  #file: WriteStream | undefined;
  #gathered: Uint8Array[] = [];
  #gatheredBytes = 0;
  #cancelGather: (() => void) | undefined;
  #unwritten = 0;
  #diskBusy = false;
  #failed = false;

  constructor(options: CaptureOptions) {
    this.#options = options;
    this.#headLimit = Math.floor(options.maxChars * HEAD_SHARE);
    this.#tailLimit = options.maxChars - this.#headLimit;
  }

  /** Decoded text of this chunk; characters split over chunks come with the chunk that completes them. */
  push(bytes: Uint8Array): string {
    this.#bytes += bytes.length;
    this.#keep(bytes);
    const text = this.#decoder.decode(bytes, { stream: true });
    this.#add(text);
    return text;
  }

  #add(text: string): void {
    this.#totalChars += text.length;
    let rest = text;
    if (this.#head.length < this.#headLimit) {
      const room = this.#headLimit - this.#head.length;
      this.#head += rest.slice(0, room);
      rest = rest.slice(room);
    }
    if (rest === '') return;
    this.#tail.push(rest);
    this.#tailChars += rest.length;
    while (this.#tail.length > 1 && this.#tailChars - (this.#tail[0]?.length ?? 0) >= this.#tailLimit) {
      this.#tailChars -= this.#tail.shift()?.length ?? 0;
    }
  }

  #keep(bytes: Uint8Array): void {
    if (this.#file === undefined && this.#early !== undefined) {
      this.#early.push(bytes);
      this.#earlyLines += countLines(bytes);
      if (!this.#options.eager && this.#bytes <= this.#options.maxChars && this.#earlyLines < this.#options.maxLines) return;
      const early = this.#early;
      this.#early = undefined;
      this.#file = createWriteStream(this.#options.path, { flags: 'w', mode: 0o600, highWaterMark: DISK_HIGH_BYTES });
      this.#file.on('error', (error) => {
        this.#failed = true;
        this.#setBusy(false);
        this.#options.onDiskError(error);
      });
      for (const chunk of early) this.#write(chunk);
      return;
    }
    if (this.#bytes <= MAX_CAPTURE_BYTES) this.#write(bytes);
    else if (this.#bytes - bytes.length <= MAX_CAPTURE_BYTES) this.#write(Buffer.from(`\n[Capture stopped after ${MAX_CAPTURE_BYTES} bytes]\n`));
  }

  #write(bytes: Uint8Array): void {
    if (this.#failed) return;
    this.#gathered.push(bytes);
    this.#gatheredBytes += bytes.length;
    if (this.#gatheredBytes >= GATHER_BYTES) this.#writeGathered();
    else this.#cancelGather ??= this.#options.clock.after(GATHER_MS, () => this.#writeGathered());
  }

  #writeGathered(): void {
    this.#cancelGather?.();
    this.#cancelGather = undefined;
    const bytes = Buffer.concat(this.#gathered);
    this.#gathered = [];
    this.#gatheredBytes = 0;
    if (this.#failed || bytes.length === 0) return;
    this.#unwritten += bytes.length;
    this.#file?.write(bytes, () => {
      this.#unwritten -= bytes.length;
      if (this.#unwritten < DISK_LOW_BYTES) this.#setBusy(false);
    });
    if (this.#unwritten > DISK_HIGH_BYTES) this.#setBusy(true);
  }

  #setBusy(busy: boolean): void {
    if (busy === this.#diskBusy) return;
    this.#diskBusy = busy;
    this.#options.onDiskBusy(busy);
  }

  /** Resolves when what came so far is in the file, if there is one. */
  flushed(): Promise<void> {
    this.#writeGathered();
    const file = this.#file;
    if (file === undefined || this.#failed || !file.writable) return Promise.resolve();
    return new Promise((resolve) => { file.write('', () => { resolve(); }); });
  }

  get bytes(): number {
    return this.#bytes;
  }

  get totalChars(): number {
    return this.#totalChars;
  }

  get omittedChars(): number {
    return Math.max(0, this.#totalChars - this.#headLimit - this.#tailLimit);
  }

  /** Set once there is a file that holds everything. */
  get path(): string | undefined {
    return this.#file === undefined || this.#failed ? undefined : this.#options.path;
  }

  /** The last `chars` characters, possibly reaching into the head. */
  tail(chars: number): string {
    const tail = this.#tail.join('');
    return tail.length >= chars ? tail.slice(-chars) : (this.omittedChars === 0 ? this.#head + tail : tail).slice(-chars);
  }

  /** Everything when it fits, else head, a mark in Hermes' words (hermes-runtime 5.4) and tail. */
  text(): string {
    const tail = this.#tail.join('').slice(-this.#tailLimit);
    if (this.omittedChars === 0) return this.#head + tail;
    return `${this.#head}\n\n... [OUTPUT TRUNCATED - ${this.omittedChars} chars omitted out of ${this.#totalChars} total] ...\n\n${tail}`;
  }

  /** Ends the decoder and the file; resolves when the last byte is on disk. */
  async close(): Promise<void> {
    this.#add(this.#decoder.decode());
    this.#early = this.#file === undefined ? this.#early : undefined;
    const file = this.#file;
    this.#writeGathered();
    if (file === undefined || file.closed || file.destroyed) return;
    await new Promise<void>((resolve) => {
      file.once('close', resolve);
      file.end();
    });
  }
}
