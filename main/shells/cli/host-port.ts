/** What the commands need of the host, and how they get one. */
import type { BridgeHost } from '../../bridge/host.ts';
import type { Approvals, CallOutcome } from '../../ports.ts';
import type { Session, SessionId } from '../../../preload/contract/index.ts';

export interface CliHost extends BridgeHost {
  readonly approvals: Pick<Approvals, 'addSurface'>;
  /** The chat of that name, made when there is none yet; without a name a new one. */
  openSession(name: string | undefined, options: { readonly cwd?: string }): Promise<Session>;
  /** Whole path of one tool call (coercion, checks, approval, limits). Never rejects for what the tool does. */
  callTool(name: string, args: unknown, call: { readonly sessionId: SessionId; readonly signal: AbortSignal }): Promise<CallOutcome>;
  /** Ends what runs in the foreground and releases everything. */
  close(): Promise<void>;
}

/** What the command line said about the host it wants. */
export interface HostChoices {
  readonly cwd: string;
  readonly model?: string;
  readonly baseUrl?: string;
  /** `--yolo`: nothing is asked in this run. */
  readonly yolo?: boolean;
  /** Scheduled work runs while this host is open. */
  readonly runSchedules?: boolean;
}

export type OpenHost = (choices: HostChoices) => Promise<CliHost>;
