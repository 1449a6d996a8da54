/** Opens a link in the person's default browser, where there is one. */
import { spawn } from 'node:child_process';

function opener(platform: NodeJS.Platform, environment: NodeJS.ProcessEnv): readonly [string, ...string[]] | undefined {
  if (platform === 'darwin') return ['open'];
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  const display = environment['DISPLAY'] ?? environment['WAYLAND_DISPLAY'];
  return display === undefined || display === '' ? undefined : ['xdg-open'];
}

/** Resolves with false when there is no display or no program that opens links. `url` is http or https; anything else is refused. */
export function openLink(url: string, platform: NodeJS.Platform = process.platform, environment: NodeJS.ProcessEnv = process.env): Promise<boolean> {
  const command = opener(platform, environment);
  if (command === undefined || !/^https?:$/.test(new URL(url).protocol)) return Promise.resolve(false);
  const [program, ...args] = command;
  return new Promise((resolve) => {
    const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true });
    child.on('error', () => { resolve(false); });
    child.on('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}
