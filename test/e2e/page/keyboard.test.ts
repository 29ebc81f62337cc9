/** The pages by keyboard alone: where Tab goes, where the focus is, what single keys do. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { until } from '../../support/until.ts';
import { opened } from './opened.ts';
import { pages, windows } from './pages.ts';
import { person } from './running/browser.ts';
import { tourOf } from './running/keyboard.ts';
import { untilAnswered } from './running/quiet.ts';
import { noPages, sharedDemo, servePages } from './running/served.ts';
import { viewersOf } from './running/viewers.ts';

/** The words of what has the focus, or its label. */
const focused = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const element = document.activeElement as HTMLElement | null;
    return element?.ariaLabel ?? element?.innerText ?? '';
  });

/** Waits until what has the focus has these words: a page moves it just after it shows what it is for. */
async function expectFocus(page: Page, words: string): Promise<void> {
  await until(`the focus on "${words}"`, async () => (await focused(page)) === words).catch(
    async () => assert.equal(await focused(page), words),
  );
}

describe('by keyboard alone', { skip: noPages }, () => {
  test('Tab reaches all that can be pressed and nothing else, and one sees where it is', async (t) => {
    const { open } = await viewersOf(t, await sharedDemo());
    // The description of the API has thousands of links and nothing else.
    for (const shown of pages.filter(({ name }) => name !== 'docs')) {
      await t.test(shown.name, async () => {
        const page = await open(shown);
        const pause = page.getByRole('button', { name: 'Pause changes of this page' });
        if (shown.by !== 'nobody') await pause.click();
        for (const viewport of windows) {
          await page.setViewportSize(viewport);
          const { stops, ...wrong } = await tourOf(page);
          const none = { missed: [], useless: [], unseen: [], pointerOnly: [] };
          assert.deepEqual(wrong, none, `${viewport.width} px`);
          assert.ok(stops > 2, `only ${stops} stops`);
        }
        await page.close();
      });
    }
  });

  test('dialogs keep the focus, and give it back to what opened them', async (t) => {
    const { open } = await viewersOf(t, await sharedDemo());
    for (const one of opened.filter(({ closes }) => closes !== undefined)) {
      await t.test(one.name, async () => {
        const page = await open({ path: one.path, ...(one.by && { by: one.by }) });
        const heading = page.getByRole('heading', { level: 1 });
        await expectFocus(page, await heading.innerText());
        await one.prepare(page);
        const isInside = (): Promise<boolean> =>
          page.evaluate(
            () => document.querySelector('dialog')?.contains(document.activeElement) ?? false,
          );
        await until('the focus in the dialog', isInside);
        for (let presses = 0; presses < 12; presses += 1) {
          await page.keyboard.press('Tab');
          // Beyond the last control a browser goes to its own ones, which belong to no element.
          const isBeyond = await page.evaluate(() => document.activeElement === document.body);
          assert.ok(isBeyond || (await isInside()), 'Tab stays in the dialog');
        }
        if (one.closes === 'Escape') await page.keyboard.press('Escape');
        else
          await page.getByRole('dialog').getByRole('button', { name: one.closes! }).press('Enter');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
        const opener = one.opener === undefined ? heading : one.opener(page);
        // The focus goes back just after the dialog has gone.
        const handle = await opener.elementHandle();
        await page
          .waitForFunction((element) => element === document.activeElement, handle)
          .catch(async () => assert.fail(`the focus is on "${await focused(page)}"`));
        await page.close();
      });
    }
  });

  test('single keys go through rows and to pages, whose headings get the focus', async (t) => {
    const { open, complaints } = await viewersOf(t, await sharedDemo());
    const page = await open({ path: () => '/' });
    const press = async (...keys: string[]): Promise<void> => {
      for (const key of keys) await page.keyboard.press(key);
    };
    await expectFocus(page, 'Jobs');
    await press('j');
    await expectFocus(page, 'Invoices');
    await press('j', 'j');
    await expectFocus(page, 'Partner feed');
    await press('k');
    await expectFocus(page, 'Publish changelog');
    await press('j', 'Enter');
    await expectFocus(page, 'Partner feed');
    assert.equal(await page.evaluate(() => document.activeElement?.tagName), 'H1');
    await page.goBack();
    await expectFocus(page, 'Partner feed');
    assert.equal(await page.evaluate(() => document.activeElement?.className), 'name');
    await press('k', 'Enter');
    await expectFocus(page, 'Publish changelog');
    for (const [key, heading] of [
      ['m', 'Monitors'],
      ['c', 'Channels'],
      ['i', 'Timetable'],
      ['t', 'Trouble'],
      ['a', 'Audit'],
      ['s', 'Settings'],
      ['j', 'Jobs'],
    ] as const) {
      await press('g', key);
      await expectFocus(page, heading);
    }
    await press('/', 'j', '?');
    assert.equal(await page.getByLabel('Search names and URLs').inputValue(), 'j?');
    await page.goto(page.url().split('?')[0]!);
    await untilAnswered(page);
    await expectFocus(page, 'Jobs');
    await page.evaluate(() => {
      document.body.tabIndex = -1;
      document.body.focus();
    });
    await press('Tab');
    const skip = page.getByRole('link', { name: 'Skip to the content' });
    assert.ok((await skip.boundingBox())!.x >= 0, 'the link is seen once it has the focus');
    await press('Enter');
    await expectFocus(page, 'Jobs');
    await press('Tab');
    await expectFocus(page, 'Select');
    assert.deepEqual(complaints(), []);
  });

  for (const host of ['127.0.0.1', 'jobd.test']) {
    test(`a command is copied at ${host}, with or without a secure context`, async (t) => {
      const jobd = await servePages(t);
      const { open } = await person(t);
      const page = await open(`${jobd.url.replace('127.0.0.1', host)}/sign-in`);
      assert.equal(await page.evaluate(() => isSecureContext), host === '127.0.0.1');
      await page.getByRole('button', { name: 'Copy' }).click();
      await page.getByRole('button', { name: 'Copied' }).waitFor();
      await page.getByLabel('API key').focus();
      await page.keyboard.press('Control+V');
      assert.equal(await page.getByLabel('API key').inputValue(), 'sudo jobd open');
    });
  }
});
