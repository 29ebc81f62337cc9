/** What every page is held to. */

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { themes, windows } from '../pages.ts';

/** What axe is asked for and answers, as far as it matters here. */
interface Axe {
  run: (
    context: Document,
    options: { resultTypes: string[]; runOnly?: string[] },
  ) => Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
}

/** The script of axe. Its builder for Playwright brings it to the page again for each look, which takes as long as the look. */
const { source } = createRequire(import.meta.resolve('@axe-core/playwright'))('axe-core') as {
  source: string;
};

/** The rules of axe about colours, which alone are different in the two themes (src/dashboard/style/tokens.css). */
const colourRules = ['color-contrast', 'link-in-text-block'];

/** Asserts that axe finds nothing. */
export async function assertNoBarriers(
  page: Page,
  what: string,
  rules?: typeof colourRules,
): Promise<void> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(source);
  const found = await page.evaluate(async (runOnly) => {
    const { axe } = globalThis as unknown as { axe: Axe };
    const options = { resultTypes: ['violations'], ...(runOnly !== null && { runOnly }) };
    const { violations } = await axe.run(document, options);
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  }, rules ?? null);
  assert.deepEqual(found, [], what);
}

/** Asserts that axe finds nothing, that nothing is wider than the window, and that one knows where one is. */
async function assertAccessible(
  page: Page,
  what: string,
  rules?: typeof colourRules,
): Promise<void> {
  await assertNoBarriers(page, what, rules);
  await assertFits(page, what);
  const { title, headings } = await page.evaluate(() => ({
    title: document.title,
    headings: [...document.querySelectorAll('h1')].map(({ innerText }) => innerText.trim()),
  }));
  assert.equal(headings.length, 1, `${what}: ${headings.length} headings of level 1`);
  assert.ok(title.includes(headings[0] ?? ''), `${what}: "${title}" does not name the page`);
}

/** Asserts that nobody has to scroll sideways. */
export async function assertFits(page: Page, what: string): Promise<void> {
  const { beyond, widest } = await page.evaluate(() => ({
    beyond: document.documentElement.scrollWidth - innerWidth,
    widest: [...document.querySelectorAll('body *')]
      .filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
      .map((element) => element.outerHTML.slice(0, 100))
      .slice(0, 5),
  }));
  assert.ok(beyond <= 0, `${what}: ${beyond} px wider than the window: ${widest.join('\n')}`);
}

/** Asserts it in both themes, through all windows, and that nobody scrolls sideways at 400 %. The page is loaded once. */
export async function assertAccessibleAnyhow(page: Page): Promise<void> {
  for (const colorScheme of themes) {
    for (const viewport of windows) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize(viewport);
      const rules = colorScheme === themes[0] ? undefined : colourRules;
      await assertAccessible(page, `${colorScheme}, ${viewport.width} px`, rules);
    }
  }
  // A window of 1,280 by 1,024 px that is enlarged to 400 % (WCAG 2.2, 1.4.10).
  await page.setViewportSize({ width: 320, height: 256 });
  await assertFits(page, '400 %');
}
