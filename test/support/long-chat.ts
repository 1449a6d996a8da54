/** A chat of many messages in the database of a home whose host does not run. */
import { join } from 'node:path';
import { systemClock } from '../../main/clock.ts';
import { createIds } from '../../main/ids.ts';
import { silentLog } from '../../main/log.ts';
import { openStorage } from '../../main/storage/storage.ts';
import { aMessage, aSession } from './stored.ts';

/** Questions `Question N` and answers `Answer N:` with lists and code in turn; every 50th has `markerNx`, a word of its own. */
export function fillLongChat(home: string, messages: number): void {
  const storage = openStorage(join(home, 'desktop', 'talaria.db'), { clock: systemClock, ids: createIds(), log: silentLog });
  const session = aSession({ title: 'A long story', titled: true, createdAt: Date.now(), updatedAt: Date.now() });
  storage.sessions.insert(session);
  for (let number = 1; number <= messages; number += 1) {
    const text = number % 2 === 1
      ? `Question ${number}${number % 50 === 1 ? ` about marker${number}x` : ''}`
      : `Answer ${number}:\n\n- one **thing**\n- another \`thing\`\n\n\`\`\`py\nprint(${number})\n\`\`\``;
    storage.messages.insert(aMessage(session.id, { role: number % 2 === 1 ? 'user' : 'assistant', turn: Math.ceil(number / 2), text, createdAt: 1_700_000_000_000 + number * 1_000 }));
  }
  storage.close();
}
