/** The palette: by keys alone to a job, and to what one can do with it. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { person } from './running/browser.ts';
import { addJob, noPages, servePages, signInWith } from './running/served.ts';

describe('the palette', { skip: noPages }, () => {
  test('leads to a job by its name, pauses it, and to a page', async (t) => {
    const jobd = await servePages(t);
    await addJob(jobd, 'Lower');
    await addJob(jobd, 'Upper');
    const { open, complaints } = await person(t);
    const page = await open(jobd.url);
    await signInWith(page, jobd.key);
    await page.getByRole('link', { name: 'Upper' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('uppe');
    await page.getByRole('option', { name: 'Upper job', selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Upper' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('option', { name: 'Run now Upper', selected: true }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByText('Upper is paused.').waitFor();
    assert.equal(await page.getByRole('dialog').count(), 0);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('trou');
    await page.getByRole('option', { name: 'Trouble page', selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`${jobd.url}/trouble`);
    assert.deepEqual(complaints, []);
  });
});
