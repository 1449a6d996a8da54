/** Files that go with a message: from the composer to the model and to the tools, and what becomes of those that were never sent. */
import { createCanvas } from '@napi-rs/canvas';
import { access, mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { Attachment, AttachmentId } from '../../../preload/contract/index.ts';
import type { ChatMessage } from '../../support/model/types.ts';
import { openHostBench, type HostBench } from '../../support/test-host.ts';

let bench: HostBench;
afterEach(() => bench.close());

const PICTURE = createCanvas(40, 30).toBuffer('image/png');
const LATER_MS = 8 * 24 * 60 * 60 * 1_000;
const folder = (): string => join(bench.home, 'desktop', 'outputs', 'attachments');

async function attach(name: string, bytes: Buffer, pieceBytes = 1_000_000): Promise<Attachment> {
  let id: AttachmentId | undefined;
  for (let offset = 0; ; offset += pieceBytes) {
    const answer = await bench.request('composer.attach', { ...(id === undefined ? {} : { id }), name, total: bytes.length, offset, data: bytes.subarray(offset, offset + pieceBytes).toString('base64') });
    id = answer.id;
    if (answer.attachment !== null) return answer.attachment;
  }
}

async function say(sessionId: Parameters<HostBench['say']>[0], text: string, attachments: readonly Attachment[]): Promise<void> {
  await bench.request('chat.send', { sessionId, text, attachments: attachments.map(({ id }) => id) });
  await bench.host.idle(sessionId);
}

const lastSaid = (): ChatMessage | undefined => bench.model.requests.at(-1)?.body.messages.findLast(({ role }) => role === 'user');
const REFUSAL = { status: 400, body: { error: { message: 'Invalid content type. image_url is only supported by certain models.' } } };
const refusesPictures = { script: ({ body }: { readonly body: { readonly messages: readonly ChatMessage[] } }) => (body.messages.some(({ content }) => Array.isArray(content)) ? REFUSAL : { text: 'I read it.' }) };

test('a picture reaches the model as a picture, and its path stands beside it', async () => {
  bench = await openHostBench();
  const { id: sessionId } = await bench.session();
  const picture = await attach('shot.png', PICTURE, 40);
  expect(picture).toMatchObject({ name: 'shot.png', type: 'image/png', bytes: PICTURE.length });
  await say(sessionId, 'What is this?', [picture]);
  const content = lastSaid()?.content as readonly { readonly type: string; readonly text?: string; readonly image_url?: { readonly url: string } }[];
  expect(content.map(({ type }) => type)).toEqual(['text', 'image_url']);
  expect(content[0]?.text).toContain('What is this?');
  expect(content[0]?.text).toContain(join(folder(), picture.id, 'shot.png'));
  expect(content[1]?.image_url?.url).toMatch(/^data:image\/(?:png|jpeg|webp);base64,/);
  const [message] = await bench.messages(sessionId);
  expect(message?.attachments).toEqual([picture]);
  expect(await bench.request('media.read', { path: `attachment:${picture.id}`, sessionId })).toMatchObject({ type: 'image/png', total: PICTURE.length, data: PICTURE.toString('base64') });
});

test('any other file is a path that the tools can read', async () => {
  bench = await openHostBench();
  const { id: sessionId } = await bench.session();
  const notes = await attach('notes.txt', Buffer.from('the word is tangerine'));
  const path = join(folder(), notes.id, 'notes.txt');
  bench.model.use([{ calls: [{ name: 'read_file', arguments: { path } }] }, { text: 'read' }]);
  await say(sessionId, '', [notes]);
  expect(bench.model.requests[0]?.body.messages.at(-1)?.content).toContain(`The user attached the file "notes.txt" (unknown type, 21 bytes): ${path}`);
  expect(JSON.stringify(bench.model.requests[0]?.body.messages)).not.toContain('tangerine');
  expect(bench.model.requests[1]?.body.messages.at(-1)?.content).toContain('tangerine');
  expect((await bench.request('sessions.list', {}))[0]?.title).toBe('notes.txt');
});

test('an endpoint that refuses pictures is asked again without, and not sent any from then on, also after a restart', async () => {
  bench = await openHostBench(refusesPictures);
  const { id: sessionId } = await bench.session();
  await say(sessionId, 'Look', [await attach('a.png', PICTURE)]);
  expect(await bench.answer(sessionId)).toBe('I read it.');
  expect(bench.model.requests).toHaveLength(2);
  expect(lastSaid()?.content).toContain('look at it with vision_analyze');
  await bench.restart();
  await say(sessionId, 'And this', [await attach('b.png', PICTURE)]);
  expect(bench.model.requests).toHaveLength(3);
  expect((await bench.messages(sessionId)).filter(({ state }) => state === 'error')).toEqual([]);
});

test('one picture that an endpoint does not like says nothing of the next', async () => {
  bench = await openHostBench({ script: [{ status: 400, body: { error: { message: 'Could not process image' } } }, { text: 'without' }, { text: 'seen' }] });
  const { id: sessionId } = await bench.session();
  await say(sessionId, 'Look', [await attach('a.png', PICTURE)]);
  expect(await bench.answer(sessionId)).toBe('without');
  await say(sessionId, 'And this', [await attach('b.png', PICTURE)]);
  expect(JSON.stringify(bench.model.requests.at(-1)?.body.messages)).toContain('"image_url"');
});

test.each([
  'image input is not supported - hint: if this is unexpected, you may need to provide the mmproj', 'No endpoints found that support image input', 'this model is missing data required for image input',
  'scripted-model is not a multimodal model', "Failed to deserialize: unknown variant `image_url`, expected `text`", "'messages[1].content' must be a string",
])('%s is a refusal of pictures', async (message) => {
  bench = await openHostBench({ script: ({ body }) => (body.messages.some(({ content }) => Array.isArray(content)) ? { status: message.startsWith('No endpoints') ? 404 : 500, body: { error: { message } } } : { text: 'I read it.' }) });
  const { id: sessionId } = await bench.session();
  await say(sessionId, 'Look', [await attach('a.png', PICTURE)]);
  expect(await bench.answer(sessionId)).toBe('I read it.');
  expect(bench.model.requests).toHaveLength(2);
});

test('switched off, no picture is sent; switched on, a refusal is told instead of hidden', async () => {
  bench = await openHostBench(refusesPictures);
  const { id: sessionId } = await bench.session();
  expect(await bench.request('settings.set', { modelVision: 'off' })).toMatchObject({ model: { vision: 'off' } });
  await say(sessionId, 'Look', [await attach('a.png', PICTURE)]);
  expect(bench.model.requests).toHaveLength(1);
  await bench.request('settings.set', { modelVision: 'on' });
  await say(sessionId, 'Again', []);
  expect((await bench.messages(sessionId)).at(-1)).toMatchObject({ state: 'error', error: { code: 'model/no-pictures' } });
});

test('the switch works where config.yaml names the model in one word', async () => {
  bench = await openHostBench({ withoutModel: true, yaml: 'model: some-model # the good one\n' });
  expect(await bench.request('settings.set', { modelVision: 'off' })).toMatchObject({ model: { vision: 'off' } });
  const text = await readFile(join(bench.home, 'config.yaml'), 'utf8');
  expect(text).toContain('default: some-model');
});

test('pictures count for the window, old ones are left out first, and the model is told', async () => {
  bench = await openHostBench({ script: [{ text: 'seen' }] });
  const config = join(bench.home, 'config.yaml');
  await writeFile(config, (await readFile(config, 'utf8')).replace('provider: custom\n', 'provider: custom\n  context_length: 4500\n  supports_tools: false\n'));
  await bench.restart();
  const { id: sessionId } = await bench.session();
  const before = await bench.request('composer.context', { sessionId });
  await say(sessionId, 'one', [await attach('one.png', PICTURE)]);
  const after = await bench.request('composer.context', { sessionId });
  expect((after?.messages ?? 0) - (before?.messages ?? 0)).toBeGreaterThan(700);
  for (const name of ['two.png', 'three.png', 'four.png', 'five.png', 'six.png']) await say(sessionId, name, [await attach(name, PICTURE)]);
  const pictures = bench.model.requests.at(-1)?.body.messages.flatMap(({ content }) => (Array.isArray(content) ? content.filter(({ type }: { readonly type: string }) => type === 'image_url') : [])) ?? [];
  expect(pictures.length).toBeGreaterThan(0);
  expect(pictures.length).toBeLessThan(6);
  const words = JSON.stringify(bench.model.requests.at(-1)?.body.messages);
  expect(words).toContain('one.png');
  expect((await bench.messages(sessionId)).some(({ error }) => error?.code === 'notice/trimmed')).toBe(true);
});

test('what is empty, too large, out of order or gone is refused in words, and no message is made', async () => {
  bench = await openHostBench();
  const { id: sessionId } = await bench.session();
  await expect(bench.request('composer.attach', { name: 'film.mp4', total: 30_000_000, offset: 0, data: '' })).rejects.toMatchObject({ code: 'request/invalid', message: 'film.mp4 has 29 MB; a message takes files of up to 20 MB.' });
  await expect(bench.request('composer.attach', { name: 'a', total: 0, offset: 0, data: '' })).rejects.toThrow('a is empty');
  const { id } = await bench.request('composer.attach', { name: 'b', total: 10, offset: 0, data: Buffer.from('12345').toString('base64') });
  await expect(bench.request('composer.attach', { id, name: 'b', total: 10, offset: 7, data: Buffer.from('123').toString('base64') })).rejects.toThrow('out of order');
  await expect(bench.request('composer.attach', { id, name: '../b', total: 10, offset: 5, data: Buffer.from('1234567').toString('base64') })).rejects.toThrow('out of order');
  await expect(bench.request('chat.send', { sessionId, text: 'hi', attachments: [id] })).rejects.toThrow('not there any more');
  const there = await attach('c', Buffer.from('c'));
  await expect(bench.request('chat.send', { sessionId, text: '!ls', attachments: [there.id] })).rejects.toThrow('not with a command');
  expect(await bench.messages(sessionId)).toEqual([]);
});

test.each([['../../etc/passwd', 'passwd'], ['C:\\Users\\me\\a b.txt', 'a b.txt'], ['..', 'file'], ['.bashrc', 'bashrc'], ['a\u202ecod.exe', 'acod.exe'], ['"; rm -rf $HOME; ".txt', '_; rm -rf _HOME; _.txt'], [`${'x'.repeat(400)}.png`, `${'x'.repeat(176)}.png`]])('the name %j is kept as %j', async (given, kept) => {
  bench = await openHostBench();
  expect((await attach(given, Buffer.from('x'))).name).toBe(kept);
  expect(await readdir(folder())).toHaveLength(1);
});

test('what was attached and not sent outlives the end of the app, and is let go after a week; what was sent stays until its chat is purged', async () => {
  bench = await openHostBench();
  const { id: sessionId } = await bench.session();
  const [sent, draft] = [await attach('sent.txt', Buffer.from('s')), await attach('draft.txt', Buffer.from('d'))];
  await say(sessionId, 'keep', [sent]);
  await mkdir(join(folder(), 'att_0000000000000000.part'));
  await bench.restart();
  expect(await bench.request('composer.attachments', { ids: [sent.id, draft.id] })).toEqual([sent, draft]);
  await bench.request('composer.detach', { id: sent.id });
  const old = new Date(Date.now() - LATER_MS);
  for (const name of await readdir(folder())) await utimes(join(folder(), name), old, old);
  await bench.restart();
  await expect.poll(() => readdir(folder())).toEqual([sent.id]);
  expect(await readFile(join(folder(), sent.id, 'sent.txt'), 'utf8')).toBe('s');
});

test('a file that is taken off before it was sent is gone at once', async () => {
  bench = await openHostBench();
  const draft = await attach('draft.txt', Buffer.from('d'));
  await bench.request('composer.detach', { id: draft.id });
  await expect(access(join(folder(), draft.id))).rejects.toThrow('ENOENT');
});

test('a queued message keeps its files, a fork has them too, and exports name them', async () => {
  bench = await openHostBench({ script: [{ text: 'one', gate: 'first' }, { text: 'two' }] });
  const { id: sessionId } = await bench.session();
  const notes = await attach('notes.txt', Buffer.from('n'));
  await bench.request('chat.send', { sessionId, text: 'first' });
  await bench.request('chat.send', { sessionId, text: 'second', attachments: [notes.id] });
  bench.model.open('first');
  await bench.host.idle(sessionId);
  expect((await bench.messages(sessionId)).find(({ text }) => text === 'second')?.attachments).toEqual([notes]);
  expect(lastSaid()?.content).toContain('notes.txt');
  const fork = await bench.request('sessions.fork', { sessionId });
  expect((await bench.messages(fork.id)).find(({ text }) => text === 'second')?.attachments).toEqual([notes]);
  expect((await bench.request('sessions.export', { sessionId, format: 'markdown' })).text).toContain('- Attached: notes.txt (unknown type, 1 bytes)');
  expect((await bench.request('sessions.export', { sessionId, format: 'json' })).text).toContain('"name": "notes.txt"');
});

test('a damaged picture and one that is gone do not stop the chat', async () => {
  bench = await openHostBench();
  const { id: sessionId } = await bench.session();
  const damaged = await attach('damaged.png', Buffer.concat([PICTURE.subarray(0, 20), Buffer.from('not a picture')]));
  await say(sessionId, 'Look', [damaged]);
  expect(JSON.stringify(lastSaid()?.content)).toContain('This picture is damaged or not there any more');
  await writeFile(join(folder(), damaged.id, 'damaged.png'), '');
  await bench.request('chat.retry', { sessionId });
  await bench.host.idle(sessionId);
  expect((await bench.messages(sessionId)).at(-1)?.state).toBe('complete');
});
