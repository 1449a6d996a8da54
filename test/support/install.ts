/** Debian packages that a test needs and the machine may lack. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);
const INSTALL_MS = 240_000;

/** True when they are there now; else one line says why not. */
export async function install(...packages: readonly string[]): Promise<boolean> {
  if (process.getuid?.() !== 0) {
    console.log(`skipped: ${packages.join(', ')} is not installed, and only root may install it`);
    return false;
  }
  try {
    await run('apt-get', ['-o', 'DPkg::Lock::Timeout=120', 'install', '-y', '--no-install-recommends', ...packages], { timeout: INSTALL_MS, env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } });
    return true;
  } catch (error) {
    console.log(`skipped: ${packages.join(', ')} cannot be installed here: ${error instanceof Error ? error.message.split('\n').slice(-2).join(' ') : String(error)}`);
    return false;
  }
}
