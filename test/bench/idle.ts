/** Figures of design §6 for rest: what host and window compute while three chats and four terminals are open and nothing happens. */
import { setTimeout as pause } from 'node:timers/promises';
import { startApp } from '../support/browser.ts';
import { newChat, openDock, say } from '../support/deeds.ts';
import type { Figure } from '../support/figures.ts';
import { processCpuMs } from '../support/process-facts.ts';

const CHATS = 3;
/** Saving of screens, and the engine's tidying up once after about ten seconds without work, in ms. */
const SETTLE_MS = 14_000;
const IDLE_MS = 16_000;

export async function bench(): Promise<Figure[]> {
  const app = await startApp({ model: true });
  try {
    const { page, host, context } = app;
    for (let chat = 1; chat <= CHATS; chat += 1) {
      await newChat(page);
      await say(page, `Chat number ${chat}`);
      await page.getByRole('region', { name: 'Messages' }).getByText(`You said: Chat number ${chat}`).waitFor();
    }
    const panel = await openDock(page, 'Terminals');
    const rows = panel.getByRole('list', { name: 'Terminals' }).getByRole('button');
    for (let number = 1; number <= 2; number += 1) {
      await say(page, `/tool terminal ${JSON.stringify({ command: `echo started; sleep 100${number}`, background: true, pty: true })}`);
      await rows.filter({ hasText: `100${number}` }).first().waitFor();
      await panel.getByRole('button', { name: 'New terminal' }).first().click();
      await panel.getByText('Your shell').first().waitFor();
    }
    const protocol = await context.newCDPSession(page);
    await protocol.send('Performance.enable', { timeDomain: 'threadTicks' });
    const windowSeconds = async (): Promise<number> => (await protocol.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN;
    await pause(SETTLE_MS);
    const before = { host: processCpuMs(host.pid()), window: await windowSeconds(), at: performance.now() };
    await pause(IDLE_MS);
    const elapsed = performance.now() - before.at;
    const hostShare = ((processCpuMs(host.pid()) - before.host) / elapsed) * 100;
    const windowShare = ((await windowSeconds() - before.window) * 1_000 / elapsed) * 100;
    return [
      { name: 'idle, 3 chats and 4 terminals: host', value: hostShare, unit: '%', bar: '≤ 0.5' },
      { name: 'idle, 3 chats and 4 terminals: main thread of the window', value: windowShare, unit: '%' },
    ];
  } finally {
    await app.close();
  }
}
