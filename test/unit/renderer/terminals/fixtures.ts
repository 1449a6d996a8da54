import { TerminalId } from '../../../../preload/contract/ids.ts';
import { Terminal } from '../../../../preload/contract/terminal.ts';

export function terminalId(name: string): TerminalId {
  return TerminalId.parse(`trm_${name.toLowerCase().replace(/[^0-9a-z]/g, '').padStart(16, '0')}`);
}

/** A terminal as the host sends it, checked by the contract's own schema. */
export function terminal(name: string, change: Partial<Omit<Terminal, 'id' | 'sessionId'>> & { readonly sessionId?: string | null } = {}): Terminal {
  return Terminal.parse({
    id: terminalId(name), kind: 'foreground', mode: 'pty', sessionId: 'ses_000000000001', callId: null, title: name, command: 'make', cwd: '/srv', backend: 'local', state: 'running',
    pid: 100, exitCode: null, signal: null, ended: null, startedAt: 1_000, endedAt: null, cols: 80, rows: 24, driver: 'agent', readOnly: false, secretInput: false, fullScreen: false, bytes: 0,
    ...change,
  });
}
