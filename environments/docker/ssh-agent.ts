/** Connections to an Engine on another machine, the way docker's own command line makes them: `ssh HOST docker system dial-stdio`. */
import { spawn } from 'node:child_process';
import { Agent } from 'node:http';
import { Duplex } from 'node:stream';
import type { Env } from './engine.ts';

const CONNECT_S = 8;
const SAID_CHARS = 500;
/** OpenSSH servers allow ten sessions a connection; these are connections of their own, so only their number costs. */
const KEPT_CONNECTIONS = 4;

/** Server keys and logins are those of the person's own OpenSSH: nothing is asked, nothing new is trusted. */
function argumentsFor(url: URL): string[] {
  return [
    '-o', `ConnectTimeout=${CONNECT_S}`, '-o', 'BatchMode=yes', '-T', ...(url.username === '' ? [] : ['-l', decodeURIComponent(url.username)]),
    ...(url.port === '' ? [] : ['-p', url.port]), '--', url.hostname.replace(/^\[(.*)\]$/, '$1'), 'docker', 'system', 'dial-stdio',
  ];
}

/** A stream over a program, with what the agent asks of a socket; none of that matters to a pipe. */
class DialledStream extends Duplex {
  setKeepAlive(): this { return this; }
  setNoDelay(): this { return this; }
  setTimeout(): this { return this; }
  ref(): this { return this; }
  unref(): this { return this; }
}

function dial(url: URL, env: Env): DialledStream {
  const child = spawn('ssh', argumentsFor(url), { env: { ...env }, stdio: ['pipe', 'pipe', 'pipe'] });
  let said = '';
  let received = false;
  const stream = new DialledStream({
    read: () => { child.stdout.resume(); },
    write: (chunk: Buffer, _encoding, done) => { child.stdin.write(chunk, done); },
    final: (done) => { child.stdin.end(done); },
    destroy: (error, done) => {
      child.kill('SIGTERM');
      done(error);
    },
  });
  const fail = (why: string) => { stream.destroy(Object.assign(new Error(why), { code: 'ECONNREFUSED' })); };
  child.stdout.on('data', (chunk: Buffer) => {
    received = true;
    if (!stream.push(chunk)) child.stdout.pause();
  });
  child.stdin.on('error', () => child.stdin.destroy()); // it has ended; its exit code and words say why
  child.stderr.on('data', (chunk: Buffer) => { said = (said + chunk.toString()).slice(-SAID_CHARS); });
  child.once('error', (cause) => { fail(`ssh could not be started: ${cause.message}`); });
  child.once('close', (code) => {
    if (received) stream.push(null);
    else fail(`ssh ${url.host} ended with code ${String(code)}${said.trim() === '' ? '' : `: ${said.trim()}`}`);
  });
  return stream;
}

/** Logging in takes long: connections are kept for the next request, until the agent is destroyed. */
export function sshAgent(url: URL, env: Env): Agent {
  const agent = new Agent({ keepAlive: true, maxFreeSockets: KEPT_CONNECTIONS });
  // The callback is not needed when the stream is returned.
  agent.createConnection = () => dial(url, env);
  return agent;
}
