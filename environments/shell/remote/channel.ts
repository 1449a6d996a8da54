/** What a remote backend gives: a way to run one program inside it, with its input and output. */

export interface ChannelEnd {
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** In words, when the connection went away and the program may still run. */
  readonly dropped?: string;
  /** With `dropped`: the program has certainly ended with it. */
  readonly gone?: true;
  /** Asked when the program did not say itself how it ended: whether its place is still there. */
  readonly lookAgain?: () => Promise<Omit<ChannelEnd, 'lookAgain'>>;
}

/** stdout and stderr of one program, in one stream, and its input. */
export interface Channel {
  onData(listener: (bytes: Buffer) => void): void;
  /** Once, after the last byte. */
  onClose(listener: (end: ChannelEnd) => void): void;
  write(data: string | Uint8Array): void;
  closeInput(): void;
  resize(cols: number, rows: number): void;
  pause(): void;
  resume(): void;
  /** Lets go of the channel; what runs behind it is not told. */
  destroy(): void;
}

export interface LaunchOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly pty?: { readonly cols: number; readonly rows: number };
  /** False: it is given no input. A backend may then save the way in. */
  readonly input: boolean;
}

export interface Transport {
  /** Most bytes that one argument may have, quoting included. */
  readonly maxArgumentBytes: number;
  /** Throws `EnvironmentError`. */
  launch(program: readonly string[], options: LaunchOptions): Promise<Channel>;
}
