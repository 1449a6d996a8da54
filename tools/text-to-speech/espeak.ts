/** espeak-ng of this computer: a plain voice that needs no key and no network. */
import { spawn } from 'node:child_process';
import { access, constants, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

const LIMIT_MS = 120_000;
/** Words a minute at speed 1, espeak-ng's own default; it takes 80 to 450. */
const WORDS_PER_MINUTE = 175;
const MAX_STDERR_CHARS = 500;

/** Its absolute path, undefined when it is on no folder of `path`. */
export async function findEspeak(path: string | undefined): Promise<string | undefined> {
  for (const folder of (path ?? process.env['PATH'] ?? '').split(delimiter).filter((entry) => entry !== '')) {
    const program = join(folder, process.platform === 'win32' ? 'espeak-ng.exe' : 'espeak-ng');
    try {
      await access(program, constants.X_OK);
      return program;
    } catch {
      continue; // not in this folder
    }
  }
  return undefined;
}

/** A WAV file as bytes, or why there is none. The text goes in by standard input, so nothing of it can be an option. */
export async function sayWithEspeak(program: string, { text, speed, voice }: { readonly text: string; readonly speed: number; readonly voice: string | undefined }, signal: AbortSignal): Promise<{ readonly bytes: Uint8Array } | { readonly error: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'talaria-speech-'));
  try {
    const file = join(folder, 'speech.wav');
    const rate = String(Math.min(450, Math.max(80, Math.round(WORDS_PER_MINUTE * speed))));
    const failure = await run(program, ['--stdin', '-b', '1', '-s', rate, ...(voice === undefined ? [] : ['-v', voice]), '-w', file], text, signal);
    if (failure !== undefined) return { error: failure };
    const bytes = await readFile(file);
    // 44 bytes are the header alone.
    return bytes.length > 44 ? { bytes } : { error: 'espeak-ng made no sound of this text: it holds nothing that can be said.' };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function run(program: string, args: readonly string[], input: string, signal: AbortSignal): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['pipe', 'ignore', 'pipe'], timeout: LIMIT_MS, killSignal: 'SIGKILL', signal });
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => { stderr = (stderr + chunk.toString()).slice(0, MAX_STDERR_CHARS); });
    child.on('error', (error) => {
      if (signal.aborted) reject(signal.reason instanceof Error ? signal.reason : new Error(String(signal.reason)));
      else resolve(`espeak-ng could not be started: ${error.message}. Check its installation.`);
    });
    child.on('close', (code, killedBy) => {
      if (code === 0) resolve(undefined);
      else if (killedBy !== null) resolve(`espeak-ng did not finish within ${String(LIMIT_MS / 1_000)} s. Have the text read in parts.`);
      else resolve(`espeak-ng failed (exit code ${String(code)}): ${stderr.trim() || 'it said nothing'}. Check tts.espeak.voice in config.yaml.`);
    });
    child.stdin.on('error', () => undefined); // it ended before it had read everything: `close` tells how
    child.stdin.end(input);
  });
}
