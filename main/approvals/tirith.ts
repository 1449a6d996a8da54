/** The external scanner Tirith, where it is installed (hermes-runtime 4.12). What it finds is asked about, never allowed for good. */
import { execFile } from 'node:child_process';
import { z } from 'zod';
import type { Finding } from '../../preload/contract/approvals.ts';
import type { ConfigStore, Log } from '../ports.ts';

/** Looks at one command. Never rejects; empty when there is nothing to say. */
export type Scan = (command: string, signal: AbortSignal) => Promise<readonly Finding[]>;

const DEFAULT_SECONDS = 5;
const MOST_SECONDS = 60;
const OUTPUT_BYTES = 1024 * 1024;
/** Hermes: 0 allow, 1 block, 2 warn; the text only explains. */
const ACTIONS: ReadonlyMap<number, 'allow' | 'block' | 'warn'> = new Map([[0, 'allow'], [1, 'block'], [2, 'warn']]);
const Report = z.object({
  findings: z.array(z.object({ rule_id: z.string().min(1), title: z.string().optional(), description: z.string().optional(), severity: z.string().optional() })).default([]),
  summary: z.string().optional(),
});

export interface TirithParts {
  readonly config: Pick<ConfigStore, 'get'>;
  /** Absolute path of a program; undefined when it is not there. */
  readonly which: (program: string) => string | undefined;
  readonly log: Log;
}

const finding = (rule: string, description: string, effect: string, command: string): Finding =>
  ({ key: `tirith:${rule}`, description, class: 'remote-code', effect, start: 0, end: command.length, tier: 'danger' });

export function createTirith({ config, which, log }: TirithParts): Scan {
  return async (command, signal) => {
    if (config.get('security.tirith_enabled') === false) return [];
    const wanted = config.get('security.tirith_path');
    const program = which(typeof wanted === 'string' && wanted !== '' ? wanted : 'tirith');
    const unavailable = (why: string): readonly Finding[] => {
      if (config.get('security.tirith_fail_open') !== false) return [];
      return [finding('unavailable', 'Tirith could not look at this command', why, command)];
    };
    if (program === undefined) return unavailable('it is not installed');
    const set = Number(config.get('security.tirith_timeout') ?? DEFAULT_SECONDS);
    const seconds = Number.isFinite(set) && set > 0 ? Math.min(set, MOST_SECONDS) : DEFAULT_SECONDS;
    const answer = await run(program, command, seconds, signal);
    if (answer.action === undefined) {
      log.warn('Tirith gave no verdict', { why: answer.text });
      return unavailable(answer.text);
    }
    return answer.action === 'allow' ? [] : findingsOf(answer.text, answer.action, command);
  };
}

function findingsOf(text: string, action: 'block' | 'warn', command: string): readonly Finding[] {
  const said = parsed(text);
  if (said === undefined || said.findings.length === 0) return [finding(action, `Tirith: ${said?.summary ?? action}`, said?.summary ?? '', command)];
  return said.findings.map(({ rule_id: rule, title, description }) => finding(rule, `Tirith: ${title ?? rule}`, description ?? '', command));
}

function parsed(text: string): z.infer<typeof Report> | undefined {
  try {
    return Report.safeParse(JSON.parse(text)).data;
  } catch {
    // The exit code is the verdict; text that is no JSON only explains less.
    return undefined;
  }
}

/** `action` is undefined when the program gave no verdict; `text` then says why. */
function run(program: string, command: string, seconds: number, signal: AbortSignal): Promise<{ action?: 'allow' | 'block' | 'warn'; text: string }> {
  return new Promise((resolve) => {
    execFile(program, ['check', '--json', '--non-interactive', '--shell', 'posix', '--', command], { timeout: seconds * 1_000, killSignal: 'SIGKILL', maxBuffer: OUTPUT_BYTES, windowsHide: true, signal }, (error, stdout) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : undefined;
      const action = code === undefined ? undefined : ACTIONS.get(code);
      if (action !== undefined) resolve({ action, text: stdout });
      else resolve({ text: error?.killed === true ? `no answer within ${seconds} s` : error?.message ?? `exit code ${String(code)}` });
    });
  });
}
