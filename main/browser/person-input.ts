/** What a person does on the agent's page. */
import { AppError } from '../../preload/contract/errors.ts';
import type { BrowserInput } from '../../preload/contract/browser.ts';
import type { BrowserTab } from '../../tools/shared/browser.ts';

const ARRIVE_MS = 30_000;

/** Resolves when the page has taken it, or a dialog opened. Throws `request/not-possible` with the cause. */
export async function putIn(tab: BrowserTab, input: BrowserInput): Promise<void> {
  const ended = new AbortController();
  const work = act(tab, input);
  // A dialog holds up whatever caused it until it is answered.
  const dialog = input.kind === 'dialog' ? [] : [tab.dialogOpens(ended.signal)];
  for (const each of [work, ...dialog]) each.catch(() => undefined); // the loser of the race is not asked any more
  try {
    await Promise.race([work, ...dialog]);
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError('request/not-possible', `The page did not take that: ${error instanceof Error ? error.message.split('\n')[0] ?? '' : String(error)}`, { hint: 'Look at the page and try again.' });
  } finally {
    ended.abort();
  }
}

async function act(tab: BrowserTab, input: BrowserInput): Promise<void> {
  const { page } = tab;
  if (input.kind !== 'dialog' && tab.dialogs.length > 0) throw new AppError('request/not-possible', 'A dialog of the page is open.', { hint: 'Answer it first.' });
  switch (input.kind) {
    case 'click': await page.mouse.click(input.x, input.y, { clickCount: input.count }); break;
    case 'scroll':
      await page.mouse.move(input.x, input.y);
      await page.mouse.wheel(0, input.by);
      break;
    case 'key': await page.keyboard.press(input.key); break;
    case 'text': await page.keyboard.insertText(input.text); break;
    case 'navigate':
      await page.goto(input.url, { timeout: ARRIVE_MS, waitUntil: 'domcontentloaded' });
      tab.noteVisit();
      break;
    case 'back': await page.goBack({ timeout: ARRIVE_MS, waitUntil: 'domcontentloaded' }); break;
    case 'dialog': await tab.settleDialog(undefined, input.accept, input.text); break;
  }
}
