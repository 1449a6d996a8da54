/** Figures of design §6 for `yes` in the live view: frames while it floods, and how soon Ctrl-C ends it. */
import { setTimeout as pause } from 'node:timers/promises';
import { startApp } from '../support/browser.ts';
import { newChat, openDock } from '../support/deeds.ts';
import { median, percentile, type Figure } from '../support/figures.ts';
import { frameGaps } from '../support/page-trace.ts';
import { descendantsRunning, isRunning } from '../support/process-facts.ts';

const ROUNDS = 3;
const FLOOD_MS = 4_000;
/** From its first line to its steady pace, in ms. */
const SETTLE_MS = 500;
const POLL_MS = 2;
/** A flood that starts or ends later than this never does, in ms. */
const PATIENCE_MS = 15_000;

async function until(holds: () => boolean, what: string): Promise<void> {
  const started = performance.now();
  while (!holds()) {
    if (performance.now() - started > PATIENCE_MS) throw new Error(`${what}: not within ${PATIENCE_MS} ms`);
    await pause(POLL_MS);
  }
}

export async function bench(): Promise<Figure[]> {
  const app = await startApp({ model: true });
  try {
    const { page, host } = app;
    await newChat(page);
    const panel = await openDock(page, 'Terminals');
    await panel.getByRole('button', { name: 'New terminal' }).first().click();
    await panel.getByText('Your shell').waitFor();
    await panel.locator('.xterm-helper-textarea').focus();
    const notice = panel.getByText('A program here tried to use your clipboard');
    const gaps: number[] = [];
    const ended: number[] = [];
    let shown = Number.NaN;
    for (let round = 1; round <= ROUNDS; round += 1) {
      /** The view is drawn on a canvas; the sequence that the last round's prompt begins with shows in the page once the view has come to it. */
      if (round === ROUNDS) await page.keyboard.type(`PROMPT_COMMAND='printf "\\033]52;c;eA==\\007"'; `);
      await page.keyboard.type('yes\n');
      await until(() => descendantsRunning(host.pid(), ['yes']).length > 0, 'the start of yes');
      const [flood = Number.NaN] = descendantsRunning(host.pid(), ['yes']);
      await pause(SETTLE_MS);
      gaps.push(...await frameGaps(page, () => pause(FLOOD_MS)));
      const started = performance.now();
      await page.keyboard.press('Control+c');
      await until(() => !isRunning(flood), 'the end of yes');
      ended.push(performance.now() - started);
      if (round < ROUNDS) continue;
      await notice.waitFor();
      shown = performance.now() - started;
    }
    return [
      { name: '`yes` in the live view: Ctrl-C to its end, slowest', value: Math.max(...ended), unit: 'ms', bar: '≤ 200' },
      { name: '`yes` in the live view: Ctrl-C to the prompt in the view', value: shown, unit: 'ms' },
      { name: '`yes` in the live view: time between frames, median', value: median(gaps), unit: 'ms' },
      { name: '`yes` in the live view: time between frames, p95', value: percentile(gaps, 0.95), unit: 'ms', bar: '≤ 20' },
    ];
  } finally {
    await app.close();
  }
}
