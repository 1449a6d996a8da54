/** Programs of this machine: where they are, and what they say about themselves. */
import { execFile } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/** A program that does not tell its version in this time is not well. */
const VERSION_TIMEOUT_MS = 3_000;
const VERSION_BYTES = 64 * 1024;

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    // Not there, or not ours to run.
    return false;
  }
}

/** Absolute path of a program on `path` (a PATH value), else undefined. */
export function which(program: string, path: string): string | undefined {
  if (isAbsolute(program)) return isProgram(program) ? program : undefined;
  const extensions = process.platform === 'win32' ? (process.env['PATHEXT'] ?? '.EXE;.CMD').split(';') : [''];
  for (const folder of path.split(delimiter).filter((entry) => isAbsolute(entry))) {
    for (const extension of extensions) {
      const candidate = join(folder, program + extension);
      if (isProgram(candidate)) return candidate;
    }
  }
  return undefined;
}

export type ProgramAnswer = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly text: string };

/** Runs `file` with fixed arguments and hands back its first words. Never throws. */
export function askProgram(file: string, args: readonly string[]): Promise<ProgramAnswer> {
  return new Promise((resolve) => {
    execFile(file, args, { timeout: VERSION_TIMEOUT_MS, maxBuffer: VERSION_BYTES, killSignal: 'SIGKILL', windowsHide: true }, (error, stdout, stderr) => {
      const words = error ? `${stderr}\n${stdout}` : `${stdout}\n${stderr}`;
      const text = words.trim().split('\n')[0]?.trim() ?? '';
      if (!error) resolve({ ok: true, text });
      else resolve({ ok: false, text: error.killed ? `no answer within ${VERSION_TIMEOUT_MS / 1_000} s` : text || error.message });
    });
  });
}
