/** What screens may read of the cache folder, and what they may not. */
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SessionId, type Session } from '../../../preload/contract/index.ts';
import { mediaRequests, mediaType } from '../../../main/host/media-requests.ts';

const PNG = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(2_000_000, 7)]);
let root: string;
let cache: string;
let backend = 'local';
const session = (): Session => ({ cwd: join(root, 'work'), backend }) as Session; // the two fields that are read
const read = async (path: string, offset = 0, sessionId?: SessionId) => mediaRequests(cache, { existing: session })['media.read']({ path, offset, sessionId }, { via: 'test', client: 'test' });
const OF_CHAT = SessionId.parse('ses_0000000000000000');

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'talaria-media-')));
  cache = join(root, 'home', 'cache');
  await mkdir(join(cache, 'images'), { recursive: true });
  await mkdir(join(cache, 'images-private'));
  await mkdir(join(cache, 'downloads', 'task'), { recursive: true });
  await writeFile(join(cache, 'images', 'a.png'), PNG);
  await mkdir(join(root, 'work', '.hidden'), { recursive: true });
  for (const path of ['work/chart.png', 'work/.hidden/a.png', 'work/.a.png', 'secret.png']) await writeFile(join(root, path), PNG);
  await symlink(join(root, 'secret.png'), join(root, 'work', 'link.png'));
  await writeFile(join(cache, 'images-private', 'secret.png'), PNG);
  await symlink(join(root, 'secret.png'), join(cache, 'images', 'link.png'));
  await symlink(root, join(cache, 'images', 'out'));
  await writeFile(join(cache, 'images', 'page.svg'), '<svg onload="alert(1)"/>');
  await writeFile(join(cache, 'images', 'fake.png'), 'root:x:0:0');
  await writeFile(join(cache, 'images', 'big.png'), PNG);
  await truncate(join(cache, 'images', 'big.png'), 30_000_001);
  execFileSync('mkfifo', [join(cache, 'images', 'pipe.png')]);
});
afterAll(() => rm(root, { recursive: true }));

test('a picture comes whole, piece by piece', async () => {
  const pieces: Buffer[] = [];
  for (let offset = 0, total = 1; offset < total;) {
    const piece = await read(join(cache, 'images', 'a.png'), offset);
    expect(piece.type).toBe('image/png');
    pieces.push(Buffer.from(piece.data, 'base64'));
    offset += pieces.at(-1)?.length ?? 0;
    total = piece.total;
  }
  expect(pieces.length).toBeGreaterThan(1);
  expect(Buffer.concat(pieces).equals(PNG)).toBe(true);
  expect(await read(join(cache, 'images', 'a.png'), 9_000_000)).toMatchObject({ data: '' });
});

describe('nothing else is handed out', () => {
  test.each(['secret.png', 'home/cache/images/../../../secret.png', 'home/cache/images/link.png', 'home/cache/images/out/secret.png', 'home/cache/images-private/secret.png', 'home/cache/images'])('%s', async (path) => {
    await expect(read(`${root}/${path}`)).rejects.toMatchObject({ code: 'request/not-possible', message: expect.stringContaining('is not one of') as string });
  });
  test.each([['page.svg', /neither a picture/], ['fake.png', /neither a picture/], ['big.png', /30 MB/], ['pipe.png', /no file/], ['none.png', /no file/], ['\0', /no file/]])('%s of the right folder', async (name, words) => {
    await expect(read(join(cache, 'images', name))).rejects.toThrow(words);
  });
});

test('the folder of a chat is open to that chat, its hidden files and links out of it are not', async () => {
  const chart = join(root, 'work', 'chart.png');
  expect(await read(chart, 0, OF_CHAT)).toMatchObject({ type: 'image/png', total: PNG.length });
  await expect(read(chart)).rejects.toMatchObject({ code: 'request/not-possible' });
  for (const name of ['.hidden/a.png', '.a.png', 'link.png', '../secret.png']) await expect(read(join(root, 'work', name), 0, OF_CHAT)).rejects.toMatchObject({ code: 'request/not-possible' });
  backend = 'docker';
  await expect(read(chart, 0, OF_CHAT)).rejects.toMatchObject({ code: 'request/not-possible' });
  backend = 'local';
});

test('kinds are known by their first bytes', () => {
  const type = (text: string) => mediaType(Buffer.from(text, 'latin1'));
  expect(['GIF89a', 'RIFF0000WEBP', 'RIFF0000WAVE', 'RIFF0000AVI ', 'OggS', 'fLaC', 'ID3', '\xff\xfb\x90', '\xff\xf1P', '\xff\xd8\xff', '0000ftypM4A ', '0000ftypisom', '0000ftypqt  ', '0000ftypevil', '\x1a\x45\xdf\xa3', '<svg', ''].map(type)).toEqual([
    'image/gif', 'image/webp', 'audio/wav', undefined, 'audio/ogg', 'audio/flac', 'audio/mpeg', 'audio/mpeg', 'audio/aac', 'image/jpeg', 'audio/mp4', 'video/mp4', 'video/quicktime', undefined, 'video/webm', undefined, undefined,
  ]);
});
