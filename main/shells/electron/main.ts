/** Electron's start file. */
import { basename, join, resolve } from 'node:path';
import { app, dialog } from 'electron';
import { systemClock } from '../../clock.ts';
import { homePaths } from '../../config/paths.ts';
import { secretsFile } from '../../config/secrets-file.ts';
import { createHost } from '../../host.ts';
import { startDesktop } from './app.ts';
import { forkUtility } from './forked.ts';
import { hasKeychain, keychainSecrets } from './keychain.ts';

const top = join(import.meta.dirname, '..', '..', '..');
const builtFolder = basename(top) === 'dist' ? top : join(top, 'dist');

/** `--home DIR`, as on the command line. */
function homeArgument(): string | undefined {
  const at = process.argv.indexOf('--home');
  const value = at === -1 ? undefined : process.argv[at + 1];
  return value === undefined ? undefined : resolve(value);
}

const home = homeArgument();
if (home !== undefined) process.env['HERMES_HOME'] = home;
const paths = homePaths();

startDesktop({
  builtFolder, iconFile: join(app.getAppPath(), 'assets', 'icons', 'icon.png'), clock: systemClock,
  createHost: async (shell) => createHost({
    yolo: process.argv.includes('--yolo'),
    shell: { ...shell, fork: forkUtility, secrets: await hasKeychain() ? keychainSecrets(secretsFile(join(paths.own, 'keychain.json'))) : secretsFile(paths.secrets) },
    /** Started from a menu, the working directory is `/` or the program's own folder. */
    cwd: app.isPackaged ? app.getPath('home') : process.cwd(),
  }),
}).catch((error: unknown) => {
  dialog.showErrorBox('Talaria cannot start', error instanceof Error ? error.message : String(error));
  app.exit(1);
});
