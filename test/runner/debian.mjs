/** Debian packages that tests need: installed when this is root on a Debian machine, named in plain words otherwise. */
import { existsSync } from 'node:fs';
import { run, say } from '../../main/shells/launch/project.mjs';

/** A file that tells that the package is there. */
const PROOF = { 'chromium': '/usr/bin/chromium', 'openssh-server': '/usr/sbin/sshd' };
/** A package list and a browser over a slow line, in ms. */
const APT_MS = 600_000;

export async function debianPackages(report, wanted) {
  const missing = [...new Set(wanted)].filter((name) => !existsSync(PROOF[name]));
  if (missing.length === 0) return;
  const isDebian = existsSync('/usr/bin/apt-get');
  if (!isDebian || process.getuid?.() !== 0) {
    say(`Not installed: ${missing.join(', ')}. Tests that need them are skipped. ${isDebian ? `Install them: sudo apt-get install ${missing.join(' ')}` : 'Install them with your package manager.'}`);
    return;
  }
  say(`Installing ${missing.join(', ')} with apt-get …`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const update = await run('apt-get', ['update', '-q'], { env, timeoutMs: APT_MS });
  const { code, output } = await run('apt-get', ['install', '-y', '-q', '--no-install-recommends', ...missing], { env, timeoutMs: APT_MS });
  if (code !== 0) report.failed(`apt-get install ${missing.join(' ')}`, `${update.code === 0 ? '' : update.output.slice(-1_000)}\n${output.slice(-2_000)}`);
}
