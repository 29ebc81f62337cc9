/** The palette: by keys alone to a job, and to what one can do with it. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { until } from '../../support/until.ts';
import { addJob, noPages, servePages, signedIn } from './running/served.ts';

/** What is typed before the field is there goes to the page. */
async function openPalette(page: Page): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('combobox').and(page.locator(':focus')).waitFor();
}

describe('the palette', { skip: noPages }, () => {
  test('leads to a job by its name, pauses it, and to a page', async (t) => {
    const jobd = await servePages(t);
    await addJob(jobd, 'Lower');
    await addJob(jobd, 'Upper');
    const { page, complaints } = await signedIn(t, jobd);
    await page.getByRole('link', { name: 'Upper' }).waitFor();
    await openPalette(page);
    await page.keyboard.type('uppe');
    await page.getByRole('option', { name: 'Upper job', selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Upper' }).waitFor();
    await openPalette(page);
    await page.getByRole('option', { name: 'Run now Upper', selected: true }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByText('Upper is paused.').waitFor();
    assert.equal(await page.getByRole('dialog').count(), 0);
    await openPalette(page);
    await page.keyboard.type('trou');
    await page.getByRole('option', { name: 'Trouble page', selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`${jobd.url}/trouble`);
    assert.deepEqual(complaints, []);
  });

  test('leads to nothing that does not fit what is typed, opens why, and shows what arrows choose', async (t) => {
    const jobd = await servePages(t);
    for (const name of ['Alpha', 'Backup of acme']) await addJob(jobd, name);
    const { page } = await signedIn(t, jobd);
    await page.getByRole('link', { name: 'Alpha' }).waitFor();
    await openPalette(page);
    await page.keyboard.type('a');
    await page.getByRole('option', { name: 'Alpha job' }).waitFor();
    await page.keyboard.type('cme');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Backup of acme' }).waitFor();
    for (let times = 0; times < 2; times++) {
      await openPalette(page);
      await page.keyboard.type('explain');
      await page.getByRole('option', { name: 'Explain Backup', selected: true }).waitFor();
      await page.keyboard.press('Enter');
      await page.locator('details.why[open]').waitFor();
      assert.equal(await page.getByRole('dialog').count(), 0);
    }
    await page.setViewportSize({ width: 800, height: 240 });
    await openPalette(page);
    await page.getByRole('option', { selected: true }).waitFor();
    await page.keyboard.press('ArrowUp');
    const last = page.getByRole('option', { selected: true }).and(page.locator(':last-child'));
    await until('the last one is in view', () =>
      last.evaluate((one) => one.getBoundingClientRect().bottom <= innerHeight),
    );
  });
});
