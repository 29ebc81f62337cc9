/** Waits until a page shows what it has to show. */

import type { BrowserContext, Page, Request } from 'playwright-core';
import { until } from '../../../support/until.ts';

/** A page that was drawn so often without a change or a request has done what an answer or a click leads to. */
const quietFrames = 4;

/** What each page waits for. */
const pending = new WeakMap<Page, Set<Request>>();

/** Notes what the pages of a context ask for from now on. */
export function followRequests(context: BrowserContext): void {
  context.on('page', (page) => {
    const asked = new Set<Request>();
    pending.set(page, asked);
    page.on('request', (request) => {
      // The stream of changes goes on.
      if (!request.url().endsWith('/api/v1/events')) asked.add(request);
    });
    page.on('requestfinished', (request) => asked.delete(request));
    page.on('requestfailed', (request) => asked.delete(request));
  });
}

/** Resolves once a page of a followed context has all answers and has drawn them. Countdowns may go on. */
export async function untilQuiet(page: Page): Promise<void> {
  const asked = pending.get(page)!;
  await page.waitForLoadState('load');
  await until(
    'a page with all answers',
    async () => asked.size === 0 && (await isStill(page)) && asked.size === 0,
  );
  await page.evaluate(async () => void (await document.fonts.ready));
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
