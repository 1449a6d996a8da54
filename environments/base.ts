/**
 * The place where commands run, in two tiers: what a tool may do (`EnvironmentForTools`) and what the terminal manager,
 * which owns it, may do besides (`Environment`). One file per backend implements it; one conformance suite runs against all.
 */

export type BackendName = 'local' | 'docker' | 'ssh' | 'singularity' | 'modal' | 'daytona' | 'vercel_sandbox';

/** Why a process ended. `lost`: the backend dropped; whether the command still runs there cannot be told. */
export type EndReason = 'exit' | 'timeout' | 'abort' | 'lost';

export interface StartSpec {
  /** One shell command line, handed to the shell as one opaque argument: byte for byte what was approved. */
  readonly command: string;
  readonly cwd: string;
  /** Variables on top of the environment's own, filtered ones. */
  readonly env?: Readonly<Record<string, string>>;
  /** Present = a pseudo-terminal of this size; absent = pipes, stderr merged into stdout. */
  readonly pty?: { readonly cols: number; readonly rows: number };
  /** Fed to stdin, then stdin is closed. Absent with pipes = stdin is empty unless `keepStdin`. */
  readonly stdin?: string | Uint8Array;
  /** Keep stdin open for `write` (background processes). */
  readonly keepStdin?: boolean;
  /** Without a terminal only: it goes on when the connection or this host is lost, where the backend can; then it has a `handle`. */
  readonly survive?: boolean;
  /**
   * `command`: the per-call wrapper of hermes-runtime 6.1 (snapshot sourced, cwd and environment carried to the next call).
   * `plain`: the user's login shell runs it and nothing is carried over (background processes).
   * `interactive`: no command; the user's own shell.
   */
  readonly shell: 'command' | 'plain' | 'interactive';
}

export interface ProcessEnd {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly why: EndReason;
  /** In words, for `lost` and for deaths by signal. */
  readonly detail?: string;
  /** With `lost`: it has certainly ended with the place it ran in. */
  readonly gone?: true;
  /** Directory after the command, when the shell reported one that exists. */
  readonly cwd?: string;
}

/**
 * What the program in a terminal's foreground does with its input. `secret`: reads a line with echo off; `line`: sleeps in a read of
 * the terminal; `raw`: edits the line itself and waits; `busy`: none of these, or it cannot be told.
 */
export type InputState = 'busy' | 'line' | 'secret' | 'raw';

/** A started process. Bytes stay bytes; the reader sets the pace with `pause`/`resume`. */
export interface RunningProcess {
  /** Process id inside the backend; null when the backend has none to give. */
  readonly pid: number | null;
  readonly mode: 'pty' | 'pipe';
  /** Output already produced before the first listener is kept and delivered to it. */
  onOutput(listener: (bytes: Uint8Array) => void): void;
  /** Resolves after the last byte was delivered. Never rejects. */
  readonly ended: Promise<ProcessEnd>;
  write(data: string | Uint8Array): void;
  /** Closes a pipe's stdin; sends EOF (Ctrl-D) to a pseudo-terminal. */
  closeStdin(): void;
  resize(cols: number, rows: number): void;
  pause(): void;
  resume(): void;
  /**
   * Whole-tree end: polite signal, wait `graceMs`, then SIGKILL to the group and to what escaped it.
   * Resolves with the pids that are still alive (empty when all are gone). `why` is recorded once: the first cause wins.
   */
  end(options: { readonly why: 'abort' | 'timeout'; readonly signal?: 'SIGINT' | 'SIGTERM' | 'SIGKILL'; readonly graceMs?: number }): Promise<readonly number[]>;
  /** One signal to the foreground process group, nothing else (Ctrl-C). */
  signal(name: 'SIGINT' | 'SIGTERM' | 'SIGKILL'): void;
  /** Pseudo-terminals only, and only where the backend can tell. Asked when output went quiet. Never rejects. */
  inputState?(): Promise<InputState>;
  /** The place it runs in had vanished and was made anew for it: what was installed or exported there is gone. */
  readonly recreated?: boolean;
  /** In words, while its connection is lost and it is being looked for again: no output comes then, and input waits. */
  away?(): string | undefined;
  /** After `reattach`: so many bytes of its output are old. */
  readonly replayed?: number;
  /** By which `reattach` finds it again after this host is gone. */
  readonly handle?: string;
  /** Value of `TALARIA_MARK` in its environment and so in that of all its descendants; local only. */
  readonly mark?: string;
}

export interface ExecResult extends ProcessEnd {
  readonly output: Uint8Array;
  /** True when `maxBytes` cut the output; head and tail are kept. */
  readonly truncated: boolean;
}

export interface FileStat {
  readonly kind: 'file' | 'directory' | 'other';
  readonly size: number;
  readonly mtimeMs: number;
  readonly mode: number;
  /** True when the path itself is a symbolic link (the other fields describe its target). */
  readonly link: boolean;
}

export interface EnvironmentDescription {
  readonly backend: BackendName;
  /** Host name, container id or sandbox id: where it is, for cards and badges. */
  readonly host: string;
  readonly user: string;
  readonly homeDirectory: string;
  readonly defaultCwd: string;
  /** True when nothing of the host's files can be reached (hermes-runtime 4.1). */
  readonly isolated: boolean;
  readonly image?: string;
  /** What the place costs while it is there, about; and when its vendor ends it at the latest (milliseconds since 1970). */
  readonly cost?: { readonly usdPerHour: number; readonly endsAt?: number };
  readonly mounts: readonly { readonly host: string; readonly inside: string; readonly readOnly: boolean }[];
  /** In words, when commands run behind a wall of the operating system: what they may write, and whether they reach the network. */
  readonly sandbox?: string;
  /** Temporary directory inside. */
  readonly tmpdir: string;
}

/** What tools may do. Paths are absolute paths inside the backend. */
export interface EnvironmentForTools {
  describe(): EnvironmentDescription;
  /** Collected run of an internal helper command (search, syntax checks). Not for the model's own commands. */
  exec(spec: {
    readonly command: string; readonly cwd?: string; readonly stdin?: string | Uint8Array;
    readonly timeoutMs: number; readonly maxBytes: number; readonly signal?: AbortSignal;
  }): Promise<ExecResult>;
  /** Throws `EnvironmentError` (`not-found`, `denied`, `too-large`, …). `maxBytes` refuses larger files. */
  readFile(path: string, options?: { readonly maxBytes?: number }): Promise<Uint8Array>;
  /** Atomic (temporary file and rename), mode kept or set, symlinks followed to their target. Parents are created. */
  writeFile(path: string, bytes: Uint8Array, options?: { readonly mode?: number }): Promise<void>;
  /** Undefined when nothing is there. */
  stat(path: string): Promise<FileStat | undefined>;
  list(path: string): Promise<readonly string[]>;
  remove(path: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /** Canonical path; parts that do not exist yet are kept as given below the nearest existing ancestor. */
  realpath(path: string): Promise<string>;
}

/** What the terminal manager may do besides. */
export interface Environment extends EnvironmentForTools {
  readonly backend: BackendName;
  /** Connect or create. Called once before anything else; concurrent callers share one call. */
  open(signal?: AbortSignal): Promise<void>;
  start(spec: StartSpec): Promise<RunningProcess>;
  /** Follows a program that another host started with `survive`: all its output again, from the first byte. Undefined when it is not there. */
  reattach?(handle: string): Promise<RunningProcess | undefined>;
  /** Safe to call twice. Ends what still runs inside unless `keep` says it should survive. */
  close(options?: { readonly keep?: boolean }): Promise<void>;
}

/** What a backend asks a person while it connects, or before a command runs in it. */
export interface CredentialQuestion {
  /** `secret`: typed unseen; `text`: may be seen; `confirm`: only agreed to. */
  readonly kind: 'secret' | 'text' | 'confirm';
  readonly purpose: 'sudo' | 'ssh-password' | 'ssh-passphrase' | 'ssh-question' | 'ssh-host-key';
  /** `user@host`: where what is typed goes. */
  readonly host: string;
  readonly title: string;
  /** In the words of the other side, possibly. */
  readonly detail?: string;
  readonly fingerprint?: string;
  /** Why it is asked again. */
  readonly problem?: string;
}

/** `late`: no answer in time. `nobody`: no person can be asked here. `stopped`: what wanted it was stopped. */
export type CredentialAnswer = { readonly kind: 'given'; readonly value: string } | { readonly kind: 'cancelled' | 'late' | 'nobody' | 'stopped' };

/** Never rejects. What was typed is in the answer and nowhere else. */
export type AskCredential = (question: CredentialQuestion) => Promise<CredentialAnswer>;

/** Whether a backend could be used now, without opening it: cheap, and never throws. */
export interface BackendProbe {
  readonly ok: boolean;
  readonly step?: 'missing-variable' | 'missing-program' | 'wrong-backend' | 'check-failed';
  readonly message?: string;
  readonly fix?: string;
}

export type EnvironmentErrorCode =
  | 'not-found' | 'denied' | 'exists' | 'not-a-file' | 'not-a-directory' | 'too-large' | 'unreachable' | 'missing' | 'closed' | 'timeout' | 'failed';

export class EnvironmentError extends Error {
  readonly code: EnvironmentErrorCode;
  readonly hint: string | undefined;

  constructor(code: EnvironmentErrorCode, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'EnvironmentError';
    this.code = code;
    this.hint = options.hint;
  }
}
