/** How the pages behave in a real browser: while jobd is away, after an upgrade, in many windows, by single keys. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { ownPort } from '../../support/own-port.ts';
import { serve } from '../../support/running/executable.ts';
import { until } from '../../support/until.ts';
import { person } from './running/browser.ts';
import { addJob, call, noPages, servePages, signInWith, signedIn } from './running/served.ts';

const live = (page: Page) => page.locator('.live').getByText('live', { exact: true });

/** What has the focus. */
const focused = (page: Page): Promise<string> =>
  page.evaluate(() => document.activeElement?.textContent ?? '');

describe('the pages', { skip: noPages }, () => {
  test('say since when they are stale, keep what they show, and are live again', async (t) => {
    const jobd = await servePages(t, '--port', `${await ownPort()}`);
    await addJob(jobd, 'Before');
    const { page, complaints } = await signedIn(t, jobd);
    await live(page).waitFor();
    await page.getByRole('link', { name: 'Before' }).waitFor();
    await jobd.stop();
    const band = page.getByText(/Stale since \d\d:\d\d:\d\d: jobd does not answer/);
    await band.waitFor();
    await page.locator('.live').getByText('stale').waitFor();
    await page.getByRole('link', { name: 'Before' }).waitFor();
    const { port } = new URL(jobd.url);
    const options = ['--data', jobd.dataDir, '--allow-target', '127.0.0.1/32:*', '--port', port];
    await serve(t, options, jobd.dataDir);
    await page.getByRole('button', { name: 'Try now' }).click();
    await band.waitFor({ state: 'detached' });
    await live(page).waitFor();
    await addJob(jobd, 'After');
    await page.mouse.move(0, 0);
    await page.getByRole('link', { name: 'After' }).waitFor();
    assert.deepEqual(complaints, []);
  });

  test('come back by themselves when jobd does', async (t) => {
    const jobd = await servePages(t, '--port', `${await ownPort()}`);
    const { page, context } = await signedIn(t, jobd);
    await live(page).waitFor();
    await context.setOffline(true);
    await jobd.stop();
    const band = page.getByText(/Stale since/);
    await band.waitFor();
    const { port } = new URL(jobd.url);
    await serve(t, ['--data', jobd.dataDir, '--port', port], jobd.dataDir);
    await context.setOffline(false);
    await band.waitFor({ state: 'detached' });
    await live(page).waitFor();
  });

  test('offer to reload when another version answers', async (t) => {
    const jobd = await servePages(t);
    const { open, context } = await person(t);
    const hello = 'event: hello\ndata: {"version":"99.0.0"}\n\n';
    await context.route(`${jobd.url}/api/v1/events`, (route) =>
      route.fulfill({ contentType: 'text/event-stream', body: hello }),
    );
    const page = await open(jobd.url);
    await signInWith(page, jobd.key);
    await page.getByText('jobd was updated to 99.0.0.').waitFor();
    await context.unroute(`${jobd.url}/api/v1/events`);
    await page.getByRole('button', { name: 'Reload' }).click();
    await live(page).waitFor();
    assert.equal(await page.getByText('jobd was updated').count(), 0);
  });

  // Without https only the machine of the server has locks: elsewhere the windows ask each other whose turn it is.
  for (const host of ['127.0.0.1', 'jobd.test']) {
    test(`all six visible windows hear of changes and act at once (${host})`, async (t) => {
      const jobd = await servePages(t);
      const site = jobd.url.replace('127.0.0.1', host);
      await addJob(jobd, 'Before');
      const { open } = await person(t);
      const first = await open(site);
      await signInWith(first, jobd.key);
      // Rows do not move under the pointer.
      await first.mouse.move(0, 0);
      const others = await Promise.all(Array.from({ length: 5 }, () => open(site)));
      const pages = [first, ...others];
      for (const page of pages) {
        assert.equal(await page.evaluate(() => document.visibilityState), 'visible');
        await page.getByRole('link', { name: 'Before' }).waitFor();
        await page
          .locator('.live')
          .getByText(/^(live|every 10 s)$/)
          .waitFor();
      }
      let states: string[] = [];
      // On a busy machine windows hear each other late, and ask again after 10 s.
      await until('four streams', async () => {
        states = await Promise.all(pages.map((page) => page.locator('.live span').innerText()));
        return states.filter((state) => state === 'live').length === 4;
      });
      await addJob(jobd, 'After');
      await Promise.all(pages.map((page) => page.getByRole('link', { name: 'After' }).waitFor()));
      assert.equal(await first.getByText('Stale since').count(), 0);
      for (const [index, page] of pages.entries()) {
        const [does, done] = index % 2 === 0 ? ['Pause', 'paused'] : ['Resume', 'resumed'];
        // A window that asks every 10 s may not know yet what the one before did.
        const button = page.getByRole('button', { name: `${does} After` });
        await button.waitFor();
        await button.click();
        await page.locator('.toast').getByText(`After is ${done}.`).waitFor();
      }
      // A window that is closed lets another one listen.
      await pages[states.indexOf('live')]?.close();
      const second = pages.filter((page, index) => !page.isClosed() && states[index] !== 'live');
      await Promise.any(second.map((page) => live(page).waitFor()));
    });
  }

  test('show the audit trail of one job, from its menu', async (t) => {
    const jobd = await servePages(t);
    const id = await addJob(jobd, 'Audited');
    await addJob(jobd, 'Other');
    const { page } = await signedIn(t, jobd);
    await page.goto(`${jobd.url}/jobs/${id}`);
    await page.getByLabel('More actions').click();
    await page.getByRole('link', { name: 'Audit trail' }).click();
    await page.getByText('Only changes to Audited. All changes').waitFor();
    const entries = await page.locator('.audit .did').allInnerTexts();
    assert.equal(entries.length, 1);
    assert.match(entries[0] ?? '', /created the job Audited/);
  });

  test('do things by single keys, never while somebody types', async (t) => {
    const jobd = await servePages(t);
    for (const name of ['Lower', 'Upper']) await addJob(jobd, name);
    const { page, complaints } = await signedIn(t, jobd);
    await page.getByRole('link', { name: 'Upper' }).waitFor();
    await page.keyboard.press('j');
    assert.equal(await focused(page), 'Upper');
    await page.keyboard.press('j');
    assert.equal(await focused(page), 'Lower');
    await page.keyboard.press('k');
    assert.equal(await focused(page), 'Upper');
    await page.keyboard.press('p');
    await page.getByText('Upper is paused.').waitFor();
    await page.getByRole('button', { name: 'Resume Upper' }).waitFor();
    await page.keyboard.press('p');
    await page.getByText('Upper is resumed.').waitFor();
    await page.keyboard.press('r');
    await page.getByText('Upper runs now.').waitFor();

    await page.keyboard.press('/');
    await page.keyboard.type('jkrpgs?n/');
    assert.equal(await page.getByLabel('Search names').inputValue(), 'jkrpgs?n/');
    assert.equal(await page.getByRole('dialog').count(), 0);
    await page.waitForURL(`${jobd.url}/?q=jkrpgs%3Fn%2F`);
    await page.getByRole('heading', { level: 1 }).focus();
    await page.keyboard.press('?');
    const help = page.getByRole('dialog', { name: 'Keyboard' });
    await help.waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('s');
    await page.keyboard.press('Escape');
    await help.waitFor({ state: 'detached' });
    assert.equal(new URL(page.url()).pathname, '/');
    await page.keyboard.press('g');
    await page.keyboard.press('s');
    await page.waitForURL(`${jobd.url}/settings`);

    // They can be switched off.
    await page.getByLabel('off', { exact: true }).check();
    await page.getByRole('heading', { level: 1 }).focus();
    await page.keyboard.press('g');
    await page.keyboard.press('j');
    await page.keyboard.press('?');
    assert.equal(await page.getByRole('dialog').count(), 0);
    assert.equal(new URL(page.url()).pathname, '/settings');
    const { runs } = await call<{ runs: unknown[] }>(
      jobd,
      'GET',
      `/jobs/${await idOf(jobd, 'Upper')}/runs`,
    );
    assert.equal(runs.length, 1, 'one press, one run');
    assert.deepEqual(complaints, []);
  });
});

async function idOf(jobd: { url: string; key: string }, name: string): Promise<string> {
  const { jobs } = await call<{ jobs: { id: string; name: string }[] }>(jobd, 'GET', '/jobs');
  return jobs.find((job) => job.name === name)?.id ?? assert.fail(`no job ${name}`);
}
