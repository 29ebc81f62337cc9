/** Waits until a page shows what it has to show. */

import type { BrowserContext, Page, Request } from 'playwright-core';
import { until } from '../../../support/until.ts';

/** A page that was drawn so often without a change or a request has done what an answer or a click leads to. */
const quietFrames = 4;

/** What each page waits for: requests without an answer, and addresses that are asked again when the server said. */
const pending = new WeakMap<Page, { asked: Set<Request>; refused: Set<string> }>();
/** Longer than a minute, for which a session may have to wait. */
const longestMs = 120_000;

/** Notes what the pages of a context ask for from now on. */
export function followRequests(context: BrowserContext): void {
  context.on('page', (page) => {
    const asked = new Set<Request>();
    const refused = new Set<string>();
    pending.set(page, { asked, refused });
    page.on('request', (request) => {
      // The stream of changes continues.
      if (!request.url().endsWith('/api/v1/events')) asked.add(request);
    });
    page.on('response', (response) => {
      if (response.status() === 429) refused.add(response.url());
      else refused.delete(response.url());
    });
    page.on('requestfinished', (request) => asked.delete(request));
    page.on('requestfailed', (request) => asked.delete(request));
  });
}

/** Resolves once a page of a followed context has all answers and has drawn them. Countdowns may go on. */
export async function untilQuiet(page: Page): Promise<void> {
  const { asked } = pending.get(page)!;
  await page.waitForLoadState('load');
  await until(
    'a page with all answers',
    async () => asked.size === 0 && (await isStill(page)) && asked.size === 0,
  );
  await page.evaluate(async () => void (await document.fonts.ready));
}

/** The same, but refusals of a session that asks too often are no answers. */
export async function untilAnswered(page: Page): Promise<void> {
  const { refused } = pending.get(page)!;
  await untilQuiet(page);
  while (refused.size > 0) {
    await until('a session that may ask again', () => refused.size === 0, longestMs);
    await untilQuiet(page);
  }
}

/** Whether the document stays as it is for some frames, and nothing in it says that it is busy. */
async function isStill(page: Page): Promise<boolean> {
  return await page.evaluate(async (frames) => {
    const changes: MutationRecord[] = [];
    const observer = new MutationObserver((records) => void changes.push(...records));
    observer.observe(document, { subtree: true, childList: true, attributes: true });
    for (let drawn = 0; drawn < frames && changes.length === 0; drawn += 1) {
      await new Promise((resolve) => {
        requestAnimationFrame(resolve);
      });
    }
    observer.disconnect();
    return changes.length === 0 && document.querySelector('[aria-busy=true]') === null;
  }, quietFrames);
}
