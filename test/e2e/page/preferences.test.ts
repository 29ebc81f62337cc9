/** Preferences in real tabs: kept by the browser, shared by tabs, and no condition for anything. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { person } from './running/browser.ts';
import { assertSignedOut, noPages, servePages } from './running/served.ts';

const key = 'jobd / preferences';

function themeOf(page: Page): Promise<string | null> {
  return page.evaluate(() => document.documentElement.getAttribute('data-theme'));
}

describe('preferences', { skip: noPages }, () => {
  test('are applied when a page loads, and follow other tabs', async (t) => {
    const jobd = await servePages(t);
    const { open, complaints } = await person(t);
    const [one, other] = [await open(jobd.url), await open(jobd.url)];
    await assertSignedOut(one);
    assert.equal(await themeOf(one), null);
    assert.equal(await one.evaluate((name) => localStorage.getItem(name), key), null);
    const choose = (text: string): Promise<void> =>
      one.evaluate(([name = '', value = '']) => localStorage.setItem(name, value), [key, text]);
    await choose('{"theme":"dark","density":"compact"}');
    await other.locator('[data-theme="dark"][data-density="compact"]').waitFor();
    await one.reload();
    await one.locator('[data-theme="dark"][data-density="compact"]').waitFor();
    await choose('nonsense');
    await other.locator('html:not([data-theme])').waitFor();
    assert.deepEqual(complaints, []);
  });

  test('need no storage', async (t) => {
    const jobd = await servePages(t);
    const { context, open, complaints } = await person(t);
    await context.addInitScript(() => {
      Object.defineProperty(globalThis, 'localStorage', {
        get: () => {
          throw new Error('forbidden');
        },
      });
    });
    const page = await open(jobd.url);
    await assertSignedOut(page);
    assert.equal(await page.getAttribute('html', 'data-density'), 'comfortable');
    assert.deepEqual(complaints, []);
  });
});
