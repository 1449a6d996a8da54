/** An account of this machine with a password, for one test file. Only root can make one. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface TestAccount {
  readonly name: string;
  readonly password: string;
  readonly home: string;
  readonly uid: number;
  readonly gid: number;
  remove(): Promise<void>;
}

/** False where no account can be made; the reason is printed. */
export function canMakeAccounts(): boolean {
  if (process.getuid?.() === 0) return true;
  console.log('skipped: an account with a password is needed, and only root may make one');
  return false;
}

export async function makeAccount(password = `canary-${randomBytes(9).toString('hex')}`): Promise<TestAccount> {
  const name = `talaria${randomBytes(4).toString('hex')}`;
  await run('useradd', ['--create-home', '--shell', '/bin/bash', name]);
  const setting = run('chpasswd');
  setting.child.stdin?.end(`${name}:${password}\n`);
  await setting;
  const { stdout } = await run('getent', ['passwd', name]);
  const [, , uid, gid, , home = ''] = stdout.trim().split(':');
  return {
    name, password, home, uid: Number(uid), gid: Number(gid),
    remove: async () => { await run('userdel', ['--remove', '--force', name]).catch((error: unknown) => { if (!String(error).includes('mail spool')) throw error; }); },
  };
}
