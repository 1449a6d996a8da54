/** What the approval specs do over and over: let the agent ask to remove a folder that is really there. */
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { expect } from 'vitest';
import type { App } from './browser.ts';
import { queuedCard, say } from './deeds.ts';

interface Removals {
  /** A folder of that name in the app's work folder; it need not be there. */
  folder(name: string): string;
  /** Makes the folder, asks the agent to remove it, and waits for the card in the queue. */
  askToRemove(name: string): Promise<Locator>;
  goneOnDisk(name: string): Promise<void>;
}

/** `app` is asked at each call, because a spec starts it after this. */
export function removals(app: () => App): Removals {
  const folder = (name: string) => join(app().host.workFolder, name);
  return {
    folder,
    async askToRemove(name) {
      await mkdir(folder(name), { recursive: true });
      await say(app().page, `run \`rm -rf ${folder(name)}\``);
      const card = queuedCard(app().page, name);
      await card.waitFor();
      return card;
    },
    goneOnDisk: (name) => expect.poll(() => existsSync(folder(name)), { timeout: 10_000 }).toBe(false),
  };
}
