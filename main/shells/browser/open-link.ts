/** Opens a link in the person's default browser, and a folder in the file manager, where there is one. */
import { spawn } from 'node:child_process';

function opener(platform: NodeJS.Platform, environment: NodeJS.ProcessEnv): readonly [string, ...string[]] | undefined {
  if (platform === 'darwin') return ['open'];
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  const display = environment['DISPLAY'] ?? environment['WAYLAND_DISPLAY'];
  return display === undefined || display === '' ? undefined : ['xdg-open'];
}

/** Resolves with false when there is no display or no program that opens links. `url` is http or https; anything else is refused. */
export function openLink(url: string, platform: NodeJS.Platform = process.platform, environment: NodeJS.ProcessEnv = process.env): Promise<boolean> {
  return /^https?:$/.test(new URL(url).protocol) ? open(url, platform, environment) : Promise.resolve(false);
}

/** Resolves with false when there is no display or no program that shows folders. `path` is absolute, and the host's own. */
export function openFolder(path: string, platform: NodeJS.Platform = process.platform, environment: NodeJS.ProcessEnv = process.env): Promise<boolean> {
  return open(path, platform, environment);
}

function open(target: string, platform: NodeJS.Platform, environment: NodeJS.ProcessEnv): Promise<boolean> {
  const command = opener(platform, environment);
  if (command === undefined) return Promise.resolve(false);
  const [program, ...args] = command;
  return new Promise((resolve) => {
    const child = spawn(program, [...args, target], { stdio: 'ignore', detached: true });
    child.on('error', () => { resolve(false); });
    child.on('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}
