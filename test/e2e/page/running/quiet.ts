/** Waits until a page shows what it has to show. */

import type { Page } from 'playwright-core';

/** Nothing changes for this long; a page that never rests is looked at after a while. */
const quietMs = 350;
const longestMs = 4_000;

/** Resolves once the document has not changed for a moment. Streams and countdowns may go on. */
export async function untilQuiet(page: Page): Promise<void> {
  await page.waitForLoadState('load');
  await page.evaluate(
    ([quiet, longest]) =>
      new Promise<void>((resolve) => {
        const end = (): void => {
          observer.disconnect();
          resolve();
        };
        let timer = setTimeout(end, quiet);
        const observer = new MutationObserver(() => {
          clearTimeout(timer);
          timer = setTimeout(end, quiet);
        });
        observer.observe(document, { subtree: true, childList: true, attributes: true });
        setTimeout(end, longest);
      }),
    [quietMs, longestMs] as const,
  );
  await page.evaluate(async () => void (await document.fonts.ready));
}
