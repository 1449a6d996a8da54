/** Where Chromium is on this computer. Nothing is ever downloaded. */
import { access, constants } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome', 'microsoft-edge', 'brave-browser'];
const PLACES: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ['/Applications/Google Chrome.app/Contents/MacOS/Google Chrome', '/Applications/Chromium.app/Contents/MacOS/Chromium', '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge', '/Applications/Brave Browser.app/Contents/MacOS/Brave Browser'],
  win32: ['C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe', 'C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe', 'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe'],
};

async function runs(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    return false; // not there, or not to be run
  }
}

/** `browser.executable_path` of config.yaml, else the first of the usual names on PATH, else the usual places. Undefined when there is none. */
export async function findChromium(configured: unknown, path: string): Promise<string | undefined> {
  if (typeof configured === 'string' && configured.trim() !== '') return await runs(configured.trim()) ? configured.trim() : undefined;
  for (const name of NAMES) {
    for (const folder of path.split(delimiter).filter((each) => isAbsolute(each))) {
      const program = join(folder, name);
      if (await runs(program)) return program;
    }
  }
  for (const program of PLACES[process.platform] ?? []) if (await runs(program)) return program;
  return undefined;
}
