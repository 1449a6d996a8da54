/** A small host for tests of the bridge and the shells: answers are handlers given by the test, events and terminals are real seams. */
import { createEventBus } from '../../main/events.ts';
import { silentLog } from '../../main/log.ts';
import type { BridgeHost, Caller, HandledRequest } from '../../main/bridge/host.ts';
import type { EventBus, Log } from '../../main/ports.ts';
import { AppError, TerminalId, type ParsedInput, type RequestOutput, type Terminal } from '../../preload/contract/index.ts';

export type Handlers = { [Name in HandledRequest]?: (input: ParsedInput<Name>, caller: Caller) => RequestOutput<Name> | Promise<RequestOutput<Name>> };

/** A terminal of the test: `write` reaches every attachment, `acknowledged` counts what screens drew. */
export interface TestTerminal { write(bytes: Uint8Array): void; readonly attached: number; readonly acknowledged: number }

export interface TestHost extends BridgeHost {
  readonly bus: EventBus;
  readonly calls: { readonly name: HandledRequest; readonly input: unknown; readonly caller: Caller }[];
  readonly logged: string[];
  terminal(id: string, snapshot?: string): TestTerminal;
}

export function testHost(handlers: Handlers = {}): TestHost {
  const calls: TestHost['calls'] = [];
  const logged: string[] = [];
  const terminals = new Map<string, { snapshot: string; sends: Set<(bytes: Uint8Array) => void>; acknowledged: number }>();
  const note = (message: string): void => { logged.push(message); };
  const log: Log = { ...silentLog, warn: note, error: note };
  const bus = createEventBus(log);
  return {
    bus, calls, logged, log,
    events: bus,
    async handle(name, input, caller) {
      calls.push({ name, input, caller });
      const handler = handlers[name];
      if (!handler) throw new AppError('request/not-possible', `the test has no handler for ${name}`);
      return handler(input, caller);
    },
    terminals: {
      async attach(id, send) {
        const terminal = terminals.get(id);
        if (!terminal) throw new AppError('terminal/gone', `there is no terminal ${id}`);
        terminal.sends.add(send);
        return {
          terminal: terminalRecord(id), snapshot: terminal.snapshot,
          ack: (bytes) => { terminal.acknowledged += bytes; },
          detach: () => { terminal.sends.delete(send); },
        };
      },
    },
    terminal(id, snapshot = '') {
      const terminal = { snapshot, sends: new Set<(bytes: Uint8Array) => void>(), acknowledged: 0 };
      terminals.set(id, terminal);
      return {
        write: (bytes) => { for (const send of terminal.sends) send(bytes); },
        get attached() { return terminal.sends.size; },
        get acknowledged() { return terminal.acknowledged; },
      };
    },
  };
}

export function terminalRecord(id: string): Terminal {
  return {
    id: TerminalId.parse(id), kind: 'user', mode: 'pty', sessionId: null, callId: null, title: 'shell', command: '', cwd: '/', backend: 'local', state: 'running',
    pid: null, exitCode: null, signal: null, ended: null, startedAt: 0, endedAt: null, cols: 80, rows: 24, driver: 'user', readOnly: false, secretInput: false,
    fullScreen: false, bytes: 0,
  };
}
