/** What a person does in the window, by clicks and keys, for end-to-end tests. */
import type { Locator, Page } from 'playwright-core';

export type DockName = 'Terminals' | 'Approvals' | 'Toolsets';

/** Types into the composer of the open chat and sends it. */
export async function say(page: Page, text: string): Promise<void> {
  const composer = page.getByRole('textbox', { name: 'Message' });
  await composer.fill(text);
  await composer.press('Enter');
}

export async function newChat(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'New chat' }).first().click();
  await page.getByRole('textbox', { name: 'Message' }).waitFor();
}

/** Brings a tab of the side panel forward, opening the panel when it is hidden. */
export async function openDock(page: Page, name: DockName): Promise<Locator> {
  const tab = page.getByRole('tab', { name: new RegExp(`^${name}`) });
  if (!await tab.isVisible()) await page.keyboard.press('Control+j');
  await tab.click();
  return page.getByRole('tabpanel', { name: new RegExp(`^${name}`) });
}

/** The card of the only or first request in the queue whose command holds this text. */
export function queuedCard(page: Page, command: string): Locator {
  return page.getByRole('tabpanel', { name: /^Approvals/ }).locator('article[data-approval]').filter({ hasText: command });
}

/** A person who is refused looks, and presses again; one who is refused for so long finds a fault. */
const PRESSES = 20;
const LOOK_MS = 500;

/** Presses a button of a card as a person does: when it looks ready, and once more when the card moved under the pointer. */
export async function press(card: Locator, name: string): Promise<void> {
  const button = card.getByRole('button', { name, exact: true });
  const refused = card.getByText(/^Not taken/);
  for (let tries = 0; tries < PRESSES; tries += 1) {
    await button.scrollIntoViewIfNeeded();
    await button.click();
    if (!await refused.isVisible()) return;
    await card.page().waitForTimeout(LOOK_MS);
  }
  throw new Error(`the button "${name}" was refused again and again`);
}

export async function openSettings(page: Page, section: string): Promise<void> {
  await page.getByRole('button', { name: 'Settings' }).first().click();
  await page.getByRole('navigation', { name: 'Sections of the settings' }).getByRole('button', { name: section, exact: true }).click();
}
