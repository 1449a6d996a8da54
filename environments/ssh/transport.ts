/** Programs over ssh channels. */
import { posix } from 'node:path';
import { quote, type Channel, type ChannelEnd, type LaunchOptions, type Transport } from '../shell.ts';
import type { Connections } from './connection.ts';

/** sshd hands the whole line to the user's shell as one argument: Linux takes 128 KiB, quoting of every quote included. */
const MAX_LINE_BYTES = 96 * 1024;
const KILLED_BY = 'SIG';

/** fish takes backslashes inside single quotes for escapes; all other shells do not. */
export function quoteFor(shell: string): (word: string) => string {
  return posix.basename(shell) === 'fish' ? (word) => `'${word.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'` : quote;
}

export function sshTransport(connections: Connections, shell: () => string): Transport {
  async function launch(program: readonly string[], options: LaunchOptions): Promise<Channel> {
    const quoted = quoteFor(shell());
    const variables = Object.entries(options.env).map(([name, value]) => quoted(`${name}=${value}`));
    const line = ['exec env', ...variables, ...program.map(quoted)].join(' ');
    const { channel: stream, connection } = await connections.exec(line, options.pty === undefined ? {} : { pty: { ...options.pty, term: options.env['TERM'] ?? 'xterm-256color' } });
    let exit: ChannelEnd | undefined;
    let closed = false;
    let onClose: ((end: ChannelEnd) => void) | undefined;
    let result: ChannelEnd | undefined;
    const close = (end: ChannelEnd) => {
      if (closed) return;
      closed = true;
      result = end;
      connection.onLost.delete(lost);
      onClose?.(end);
    };
    const lost = (dropped: string) => close(exit ?? { exitCode: null, signal: null, dropped });
    connection.onLost.add(lost);
    stream.on('exit', (code: number | null, signal?: string) => {
      exit = { exitCode: code, signal: signal === undefined ? null : `${KILLED_BY}${signal.replace(/^SIG/, '')}` };
    });
    stream.on('close', () => {
      // Without an exit status nobody knows what became of the program; when the connection broke, `lost` says it better.
      setImmediate(() => close(exit ?? { exitCode: null, signal: null, dropped: connection.lost ?? 'the server closed the channel without an exit status' }));
    });
    stream.on('error', () => stream.destroy()); // 'close' follows and tells it
    stream.stderr.resume();
    return {
      onData: (listener) => { stream.on('data', listener); },
      onClose: (listener) => {
        onClose = listener;
        if (result !== undefined) listener(result);
      },
      write: (data) => { if (stream.writable) stream.write(typeof data === 'string' ? data : Buffer.from(data)); },
      closeInput: () => { stream.end(); },
      resize: (cols, rows) => { stream.setWindow(rows, cols, 0, 0); },
      pause: () => { stream.pause(); },
      resume: () => { stream.resume(); },
      destroy: () => { stream.close(); },
    };
  }
  return { maxArgumentBytes: MAX_LINE_BYTES, launch };
}
