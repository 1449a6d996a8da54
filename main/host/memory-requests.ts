/** `memory.*`: a person reads and edits what the model knows from earlier chats (hermes-runtime 7.4). */
import { createHash } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../preload/contract/errors.ts';
import type { MemoryFile } from '../../preload/contract/requests-tools.ts';
import type { ConfigStore } from '../ports.ts';
import type { AreaHandlers } from './handlers.ts';

const FILES = {
  user: { name: 'USER.md', key: 'memory.user_char_limit', limit: 1_375 },
  memory: { name: 'MEMORY.md', key: 'memory.memory_char_limit', limit: 2_200 },
} as const;
/** The same lock that the memory tool takes, here and in other processes. */
const LOCK = { realpath: false, stale: 10_000, retries: { retries: 40, factor: 1.3, minTimeout: 10, maxTimeout: 250 } };

export function memoryRequests(home: string, config: Pick<ConfigStore, 'get'>): AreaHandlers<'memory'> {
  const folder = join(home, 'memories');

  async function read(target: MemoryFile['target']): Promise<MemoryFile> {
    const { name, key, limit } = FILES[target];
    const path = join(folder, name);
    const text = await readFile(path, 'utf8').catch((error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
      throw error;
    });
    const own = Number(config.get(key));
    return { target, path, text, chars: text.trim().length, limit: Number.isInteger(own) && own > 0 ? own : limit, version: createHash('sha256').update(text).digest('hex') };
  }

  return {
    'memory.list': () => Promise.all([read('user'), read('memory')]),
    'memory.save': async ({ target, text, version }) => {
      const [{ lock }, { default: writeFileAtomic }] = await Promise.all([import('proper-lockfile'), import('write-file-atomic')]);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const release = await lock(join(folder, FILES[target].name), LOCK);
      try {
        const now = await read(target);
        if (now.version !== version) throw new AppError('request/not-possible', `${FILES[target].name} was changed meanwhile, by a chat or by hand.`, { hint: 'Load it again and put your change in; what you typed stays here until then.' });
        const next = text.replaceAll('\r\n', '\n').trim();
        if (next.length > now.limit) throw new AppError('request/invalid', `${String(next.length)} characters are too many: at most ${String(now.limit)} go into each chat.`, { hint: 'Shorten or merge entries.' });
        await writeFileAtomic(now.path, next === '' ? '' : `${next}\n`, { mode: 0o600 });
        return await read(target);
      } finally {
        await release();
      }
    },
  };
}
