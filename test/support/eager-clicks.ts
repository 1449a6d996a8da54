/** A person who clicks before looking: presses where a button will be, from the moment it is drawn, until one press is taken. */
import type { Page } from 'playwright-core';

export interface EagerResult {
  /** When the card was first drawn and when its answer left, on the page's own clock, in ms. */
  readonly appearedAt: number;
  readonly answeredAt: number;
}

/** Presses come as fast as the browser takes them, at the place where the button is at that moment. */
export async function clickAsSoonAs(page: Page, name: string): Promise<EagerResult> {
  await page.evaluate(() => {
    const times = window as unknown as { appearedAt?: number; answeredAt?: number }; // two marks that only this helper reads
    delete times.appearedAt;
    delete times.answeredAt;
    const look = (): void => {
      const card = document.querySelector('article[data-approval]');
      if (times.appearedAt === undefined && card !== null && card.checkVisibility()) times.appearedAt = performance.now();
      /** Its buttons go dead when the answer leaves, and the card goes when it counted. */
      if (times.appearedAt !== undefined && times.answeredAt === undefined && (card === null || card.querySelector('button[aria-busy="true"]') !== null)) times.answeredAt = performance.now();
    };
    new MutationObserver(look).observe(document.body, { subtree: true, childList: true, attributes: true, attributeFilter: ['aria-busy'] });
    look();
  });
  const button = page.locator('article[data-approval]').getByRole('button', { name, exact: true }).first();
  for (;;) {
    const box = await button.boundingBox().catch(() => null);
    if (box !== null) await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    const times = await page.evaluate(() => {
      const { appearedAt, answeredAt } = window as unknown as { appearedAt?: number; answeredAt?: number }; // the marks set above
      return { appearedAt, answeredAt };
    });
    if (times.appearedAt !== undefined && times.answeredAt !== undefined) return { appearedAt: times.appearedAt, answeredAt: times.answeredAt };
  }
}
