/** The process centre: what runs below our terminals, with processor share since the last look. */
import { describeProcesses, listProcesses, membersOf, readProcess } from '../../environments/local.ts';
import type { TerminalId } from '../../preload/contract/ids.ts';
import type { ProcessInfo } from '../../preload/contract/terminal.ts';
import type { Clock } from '../ports.ts';

/** `command`: what the root process stands for; its own arguments are our wrapper. */
export interface UsageRoot { readonly id: TerminalId; readonly pid: number; readonly mark: string | undefined; readonly command: string }

interface Sample { readonly at: number; readonly cpuSeconds: number; readonly startedAt: number | null }

export class UsageMeter {
  readonly #clock: Clock;
  readonly #redact: (text: string) => string;
  #samples = new Map<number, Sample>();

  constructor(clock: Clock, redact: (text: string) => string) {
    this.#clock = clock;
    this.#redact = redact;
  }

  /** A process seen for the first time shows its average since it started. */
  measure(roots: readonly UsageRoot[]): ProcessInfo[] {
    if (roots.length === 0) return [];
    const rows = listProcesses();
    const now = this.#clock.now();
    const samples = new Map<number, Sample>();
    const infos = roots.flatMap((root) => {
      const members = membersOf({ pid: root.pid, started: readProcess(root.pid)?.started, mark: root.mark }, rows);
      return describeProcesses(members).map((usage): ProcessInfo => {
        const before = this.#samples.get(usage.pid);
        const same = before !== undefined && before.startedAt === usage.startedAt && now > before.at;
        const sinceMs = same ? now - before.at : usage.startedAt === null ? 0 : now - usage.startedAt;
        const used = same ? usage.cpuSeconds - before.cpuSeconds : usage.cpuSeconds;
        samples.set(usage.pid, { at: now, cpuSeconds: usage.cpuSeconds, startedAt: usage.startedAt });
        return {
          pid: usage.pid, ppid: usage.ppid, command: this.#redact(usage.pid === root.pid && root.command !== '' ? root.command : usage.command), terminalId: root.id, memoryBytes: usage.memoryBytes, startedAt: usage.startedAt,
          cpuPercent: sinceMs <= 0 ? 0 : Math.max(0, Math.round((used * 1_000_000) / sinceMs) / 10), ports: [...usage.ports],
        };
      });
    });
    this.#samples = samples;
    return infos;
  }
}
