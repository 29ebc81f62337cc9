/** What every page is held to. */

import assert from 'node:assert/strict';
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { themes, windows } from '../pages.ts';

/** Asserts that axe finds nothing, that nothing is wider than the window, and that one knows where one is. */
export async function assertAccessible(page: Page, what: string): Promise<void> {
  // There are no frames of other sites, so axe needs no page of its own to put its findings together.
  const axe = new AxeBuilder({ page }).setLegacyMode(true);
  const { violations } = await axe.options({ resultTypes: ['violations'] }).analyze();
  const found = violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`,
  );
  assert.deepEqual(found, [], what);
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
      await assertAccessible(page, `${colorScheme}, ${viewport.width} px`);
    }
  }
  // A window of 1,280 by 1,024 px that is enlarged to 400 % (WCAG 2.2, 1.4.10).
  await page.setViewportSize({ width: 320, height: 256 });
  await assertFits(page, '400 %');
}
