/** The terminals that one connection watches: each attachment belongs to it and ends with it. */
import { randomInt } from 'node:crypto';
import { AppError, encodeOutput, type Frame, type ParsedInput, type RequestOutput } from '../../preload/contract/index.ts';
import type { BridgeHost } from './host.ts';

/** A person looks at a few dozen terminals at most; more is a screen gone wrong. */
const MAX_ATTACHMENTS = 200;
const U32 = 2 ** 32;

/**
 * Numbers grow over all connections of this process from a random start, so that an acknowledgement which outlived its connection
 * finds nothing instead of another window's terminal.
 */
let lastNumber = randomInt(2 ** 31);
function nextNumber(): number {
  lastNumber = (lastNumber + 1) % U32;
  return lastNumber;
}

type Attached = Awaited<ReturnType<BridgeHost['terminals']['attach']>>;

export class Attachments {
  readonly #terminals: BridgeHost['terminals'];
  readonly #send: (frame: Frame) => void;
  readonly #open = new Map<number, Attached>();
  #opening = 0;
  #closed = false;

  constructor(terminals: BridgeHost['terminals'], send: (frame: Frame) => void) {
    this.#terminals = terminals;
    this.#send = send;
  }

  async attach(input: ParsedInput<'terminals.attach'>): Promise<RequestOutput<'terminals.attach'>> {
    if (this.#open.size + this.#opening >= MAX_ATTACHMENTS) {
      throw new AppError('request/not-possible', `${MAX_ATTACHMENTS} terminals are shown in this window already`, { hint: 'Close a terminal view first.' });
    }
    const attachment = nextNumber();
    let live = true;
    this.#opening += 1;
    try {
      const attached = await this.#terminals.attach(input.id, (bytes) => { if (live && !this.#closed) this.#send(encodeOutput(attachment, bytes)); });
      const detach = (): void => { live = false; attached.detach(); };
      if (this.#closed) {
        detach();
        throw new AppError('host/closed', 'the window was closed while the terminal was opened');
      }
      this.#open.set(attachment, { ...attached, ack: (bytes) => attached.ack(bytes), detach });
      return { terminal: attached.terminal, attachment, snapshot: attached.snapshot };
    } finally {
      this.#opening -= 1;
    }
  }

  /** An attachment that has ended already is no error: output, end and detach cross each other on the wire. */
  detach(input: ParsedInput<'terminals.detach'>): RequestOutput<'terminals.detach'> {
    this.#open.get(input.attachment)?.detach();
    this.#open.delete(input.attachment);
    return {};
  }

  ack(input: ParsedInput<'terminals.ack'>): RequestOutput<'terminals.ack'> {
    this.#open.get(input.attachment)?.ack(input.bytes);
    return {};
  }

  close(): void {
    this.#closed = true;
    for (const attached of this.#open.values()) attached.detach();
    this.#open.clear();
  }
}
