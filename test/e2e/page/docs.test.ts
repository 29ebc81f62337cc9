/** The reference page for everybody: by keyboard, at 360 px, in light and dark, for screen readers. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { windows } from './pages.ts';
import { assertAccessibleAnyhow } from './running/accessible.ts';
import { person } from './running/browser.ts';
import { noPages, servePages } from './running/served.ts';

describe('the reference page', { skip: noPages }, () => {
  test('has no violation that axe knows, in both themes and widths', async (t) => {
    const jobd = await servePages(t);
    const { open, complaints } = await person(t);
    const page = await open(`${jobd.url}/docs`);
    const link = page.getByRole('link', { name: 'List jobs', exact: true }).first();
    for (const viewport of windows) {
      await page.setViewportSize(viewport);
      if (viewport.width === 360) await page.getByText('Contents').click();
      assert.ok(await link.isVisible(), `${viewport.width} px: the contents can be seen`);
    }
    await assertAccessibleAnyhow(page);
    assert.deepEqual(complaints, []);
  });

  test('looks as the other pages do', async (t) => {
    const jobd = await servePages(t);
    for (const colorScheme of ['light', 'dark'] as const) {
      const { open } = await person(t, { colorScheme });
      const [docs, signIn] = [await open(`${jobd.url}/docs`), await open(`${jobd.url}/sign-in`)];
      const [docsStyle, signInStyle] = await Promise.all(
        [docs, signIn].map((page) =>
          page.evaluate(() => {
            const { color, backgroundColor, fontFamily } = getComputedStyle(document.body);
            return { color, backgroundColor, fontFamily };
          }),
        ),
      );
      assert.deepEqual(docsStyle, signInStyle, colorScheme);
    }
  });

  test('is linked from the first page that somebody sees', async (t) => {
    const jobd = await servePages(t);
    const { open } = await person(t);
    const page = await open(`${jobd.url}/`);
    await page.getByLabel('API key').waitFor();
    await page.getByRole('link', { name: 'API reference' }).click();
    await page.getByRole('link', { name: 'List jobs', exact: true }).first().waitFor();
    assert.equal(page.url(), `${jobd.url}/docs`);
  });

  test('leads to the dashboard and past the contents by keyboard', async (t) => {
    const jobd = await servePages(t);
    const { open } = await person(t);
    const page = await open(`${jobd.url}/docs`);
    const focused = (): Promise<string> =>
      page.evaluate(() => (document.activeElement as HTMLElement | null)?.innerText ?? '');
    await page.keyboard.press('Tab');
    assert.equal(await focused(), 'To the content');
    assert.ok(await page.getByText('To the content').isVisible());
    const left = await page.evaluate(() => document.activeElement?.getBoundingClientRect().left);
    assert.ok(left !== undefined && left >= 0, 'the link is seen while it has the focus');
    await page.keyboard.press('Enter');
    assert.equal(await page.evaluate(() => document.activeElement?.id), 'main');
    await page.keyboard.press('Tab');
    assert.equal(await focused(), 'openapi.json');
    const outline = await page.evaluate(
      () => getComputedStyle(document.activeElement ?? document.body).outlineStyle,
    );
    assert.equal(outline, 'solid', 'the focus can be seen');
    await page.getByRole('link', { name: 'Dashboard' }).press('Enter');
    await page.getByLabel('API key').waitFor();
  });
});
