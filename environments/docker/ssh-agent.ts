/** Connections to an Engine on another machine, the way docker's own command line makes them: `ssh HOST docker system dial-stdio`. */
import { spawn } from 'node:child_process';
import { Agent } from 'node:http';
import { Duplex } from 'node:stream';
import type { Env } from './engine.ts';

const CONNECT_S = 10;
const SAID_CHARS = 500;

/** Server keys and logins are those of the person's own OpenSSH: nothing is asked, nothing new is trusted. */
function argumentsFor(url: URL): string[] {
  return [
    '-o', `ConnectTimeout=${CONNECT_S}`, '-o', 'BatchMode=yes', '-T', ...(url.username === '' ? [] : ['-l', decodeURIComponent(url.username)]),
    ...(url.port === '' ? [] : ['-p', url.port]), '--', url.hostname.replace(/^\[(.*)\]$/, '$1'), 'docker', 'system', 'dial-stdio',
  ];
}

function dial(url: URL, env: Env): Duplex {
  const child = spawn('ssh', argumentsFor(url), { env: { ...env }, stdio: ['pipe', 'pipe', 'pipe'] });
  const stream = Duplex.from({ readable: child.stdout, writable: child.stdin });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => { said = (said + chunk.toString()).slice(-SAID_CHARS); });
  const fail = (why: string) => { stream.destroy(Object.assign(new Error(why), { code: 'ECONNREFUSED' })); };
  child.once('error', (cause) => { fail(`ssh could not be started: ${cause.message}`); });
  child.once('close', (code) => { if (code !== 0 && !stream.destroyed) fail(`ssh ${url.host} ended with code ${String(code)}${said.trim() === '' ? '' : `: ${said.trim()}`}`); });
  stream.once('close', () => { child.kill('SIGTERM'); });
  return stream;
}

export function sshAgent(url: URL, env: Env): Agent {
  const agent = new Agent();
  // The callback is not needed when the stream is returned.
  agent.createConnection = () => dial(url, env);
  return agent;
}
