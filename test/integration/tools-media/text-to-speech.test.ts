import { accessSync, constants } from 'node:fs';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import '../../../tools/text-to-speech.ts';
import { registry } from '../../../tools/registry.ts';
import { pieces } from '../../../tools/text-to-speech/pieces.ts';
import { textToSpeech } from '../../../tools/text-to-speech/speak.ts';
import { openAuxiliaryModels } from '../../support/auxiliary-models.ts';
import { type MediaServer, startMediaServer } from '../../support/media-server.ts';
import { type ToolBench, openToolBench } from '../../support/tool-context.ts';

let server: MediaServer;
let bench: ToolBench;
const KEY = 'speech-key-value';
const PATH = process.env['PATH'] ?? '';
const hasEspeak = PATH.split(delimiter).some((folder) => {
  try { accessSync(join(folder, 'espeak-ng'), constants.X_OK); return true; } catch { return false; }
});

beforeAll(async () => { [server, bench] = await Promise.all([startMediaServer(), openToolBench()]); });
afterAll(() => Promise.all([server.close(), bench.close()]));
afterEach(() => {
  server.asked.length = 0;
  bench.config.clear();
  bench.variables.clear();
  bench.answer = { approved: true };
  bench.reviews.length = 0;
});

function useService(): void {
  bench.variables.set('OPENAI_API_KEY', KEY).set('PATH', PATH);
  bench.models = openAuxiliaryModels({ env: { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: server.baseUrl } });
}
const run = async (args: Record<string, unknown>): Promise<Record<string, unknown>> => JSON.parse(await textToSpeech(args, bench.context())) as Record<string, unknown>;
const asked = (): Record<string, unknown>[] => server.asked.map(({ body }) => JSON.parse(body.toString()) as Record<string, unknown>);

describe('by a service', () => {
  test('the sound is kept, with the documented fields', async () => {
    useService();
    server.answer = () => ({ bytes: Buffer.from('ID3 sound') });
    const result = await run({ text: 'Hello there.', speed: 1.5, instructions: 'calm' });
    expect(result).toMatchObject({ success: true, provider: 'openai', format: 'mp3', voice_compatible: false, media_tag: `MEDIA:${String(result['file_path'])}` });
    expect(await readFile(String(result['file_path']), 'utf8')).toBe('ID3 sound');
    expect(asked()).toEqual([expect.objectContaining({ input: 'Hello there.', model: 'gpt-4o-mini-tts', voice: 'alloy', speed: 1.5, instructions: 'calm', response_format: 'mp3' })]);
    expect(server.asked[0]?.authorization).toBe(`Bearer ${KEY}`);
  });

  test('voice and format of config.yaml are used; Opus can be sent as a voice message', async () => {
    useService();
    bench.config.set('tts.openai.voice', 'nova').set('tts.format', 'opus');
    expect(await run({ text: 'Hi.' })).toMatchObject({ voice: 'nova', format: 'opus', voice_compatible: true, file_path: expect.stringMatching(/\.ogg$/) as string });
  });

  test('a long text is read in parts, in order, into one file', async () => {
    useService();
    server.answer = ({ body }) => ({ bytes: Buffer.from(`[${String((JSON.parse(body.toString()) as { input: string }).input.length)}]`) });
    const text = Array.from({ length: 300 }, (_, index) => `This is sentence number ${String(index)} of it.`).join(' ');
    const result = await run({ text });
    const inputs = asked().map(({ input }) => String(input));
    expect(inputs.join(' ')).toBe(text);
    expect(inputs.every((input) => input.length <= 4_096 && input.endsWith('.'))).toBe(true);
    expect(await readFile(String(result['file_path']), 'utf8')).toBe(inputs.map(({ length }) => `[${String(length)}]`).join(''));
  });

  test('output_path keeps the file where the terminal is, too', async () => {
    useService();
    server.answer = () => ({ bytes: Buffer.from('sound') });
    expect(await run({ text: 'Hi.', output_path: 'said.mp3' })).toMatchObject({ success: true, file_path: join(bench.folder, 'said.mp3') });
    expect(await readFile(join(bench.folder, 'said.mp3'), 'utf8')).toBe('sound');
  });

  test.each<[MediaServer['answer'], RegExp]>([
    [() => ({ status: 401, message: `key ${KEY} unknown` }), /does not accept the key/], [() => ({ status: 429, message: 'quota' }), /Try again later/], [() => ({ status: 400, message: `no voice ${KEY}` }), /no voice \[key\]/],
    [() => ({ bytes: new Uint8Array() }), /without sound/], [() => 'cut', /could not be reached/],
  ])('trouble, case %#', async (answer, words) => {
    useService();
    server.answer = answer;
    const result = await run({ text: 'Hi.' });
    expect(result).toEqual({ success: false, error: expect.stringMatching(words) as string });
    expect(JSON.stringify(result)).not.toContain(KEY);
  }, 15_000);
});

describe.skipIf(!hasEspeak)(`by espeak-ng${hasEspeak ? '' : ' (not installed here: apt-get install espeak-ng)'}`, () => {
  test('a WAV file is made without any key, faster when asked to', async () => {
    bench.variables.set('PATH', PATH);
    const result = await run({ text: 'Hello there, this is a test.' });
    expect(result).toMatchObject({ success: true, provider: 'espeak-ng', format: 'wav' });
    const slow = await readFile(String(result['file_path']));
    expect(slow.subarray(0, 4).toString()).toBe('RIFF');
    const quick = await readFile(String((await run({ text: 'Hello there, this is a test.', speed: 2 }))['file_path']));
    expect(quick.length).toBeLessThan(slow.length * 0.8);
  });

  test('a text that looks like an option is said, not obeyed', async () => {
    bench.variables.set('PATH', PATH);
    expect(await run({ text: '--version -w /etc/passwd' })).toMatchObject({ success: true });
  });

  test('an unknown voice is told', async () => {
    bench.variables.set('PATH', PATH);
    bench.config.set('tts.espeak.voice', 'xx-none');
    expect((await run({ text: 'Hi.' }))['error']).toMatch(/tts\.espeak\.voice/);
  });
});

test('an espeak-ng that hangs is ended with the call', async () => {
  const program = join(bench.folder, 'espeak-ng');
  await writeFile(program, `#!/bin/sh\ntouch '${bench.folder}/started'\nexec sleep 600\n`);
  await chmod(program, 0o755);
  bench.variables.set('PATH', bench.folder);
  const stop = new AbortController();
  const running = textToSpeech({ text: 'Hi.' }, bench.context({ signal: stop.signal }));
  await expect.poll(() => bench.environment.stat(join(bench.folder, 'started'))).toBeDefined();
  stop.abort(new Error('stopped by the person'));
  await expect(running).rejects.toThrow('stopped by the person');
});

describe('refusals', () => {
  test.each<[Record<string, unknown>, RegExp]>([
    [{}, /needs 'text'/], [{ text: ' ' }, /needs 'text'/], [{ text: 'x'.repeat(80_001) }, /in parts/], [{ text: 'key sk-secretsecretsecretsecret' }, /looks like a key/],
    [{ text: 'x', output_path: '../up.mp3' }, /leads out/], [{ text: 'x', output_path: 'a/../../b.mp3' }, /leads out/], [{ text: 'x', output_path: '/etc/passwd' }, /Write denied/], [{ text: 'x', output_path: '~/.ssh/id' }, /Write denied/],
  ])('case %#: nothing is asked or written', async (args, words) => {
    useService();
    expect(await run(args)).toEqual({ success: false, error: expect.stringMatching(words) as string });
    expect(server.asked).toEqual([]);
  });

  test('a file outside the workspace asks a person, and a refusal writes nothing', async () => {
    useService();
    bench.answer = { approved: false, message: 'Denied by the user.' };
    expect(await run({ text: 'x', output_path: '/tmp/elsewhere-talaria.mp3' })).toEqual({ success: false, error: 'Denied by the user.' });
    expect(bench.reviews).toMatchObject([{ command: 'tee -- /tmp/elsewhere-talaria.mp3' }]);
  });

  test('with neither a program nor a key it says how to get one', async () => {
    bench.variables.set('PATH', '/nowhere');
    expect((await run({ text: 'x' }))['error']).toMatch(/Install espeak-ng, or put a key/);
    const { checkFn } = registry.getEntry('text_to_speech')!;
    const answer = await checkFn?.({ env: () => undefined, which: () => undefined, path: '/bin', backend: 'local', config: () => undefined, probeBackend: () => Promise.resolve(true) });
    expect(answer).toMatchObject({ step: 'missing-program', fix: expect.stringContaining('/bin') as string });
  });
});

test('pieces hold every word, in order, and none is too long', () => {
  fc.assert(fc.property(fc.array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }), { maxLength: 60 }), fc.integer({ min: 40, max: 200 }), (words, most) => {
    const text = words.join(' ');
    const cut = pieces(text, most);
    expect(cut.every((piece) => piece.length > 0 && piece.length <= most)).toBe(true);
    expect(cut.join('').replace(/\s/g, '')).toBe(text.replace(/\s/g, ''));
  }), { numRuns: 200 });
});
