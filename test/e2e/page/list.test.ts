/** The list of jobs in a real browser: trouble first, filters in the address, rows that stay where they are. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { startSink } from '../../support/fakes/sink.ts';
import { until } from '../../support/until.ts';
import { person } from './running/browser.ts';
import { addJob, call, noPages, servePages, signInWith, signedIn } from './running/served.ts';

/** The names in the list of all jobs, from the top. */
async function namesIn(page: Page, list = 'Jobs'): Promise<string[]> {
  return await page
    .getByRole('list', { name: list, exact: true })
    .locator('.name')
    .allTextContents();
}

describe('the list of jobs', { skip: noPages }, () => {
  test('the first page names the key before the command that needs it', async (t) => {
    const jobd = await servePages(t);
    const { page } = await signedIn(t, jobd);
    await page.getByText('No jobs yet').waitFor();
    const text = await page.getByRole('main').innerText();
    const [key, create] = [text.indexOf('jobd key create'), text.indexOf('jobd jobs create')];
    assert.ok(key >= 0 && key < create, text);
  });

  test('counts are filters; jobs that run now are no part of the total', async (t) => {
    const jobd = await servePages(t);
    await addJob(jobd, 'one');
    const paused = await addJob(jobd, 'two');
    await call(jobd, 'PATCH', `/jobs/${paused}`, { action: 'pause' });
    const { open, context } = await person(t);
    const jobs = { total: 5, down: 1, running: 1, up: 2, paused: 2, new: 0 };
    await context.route(`${jobd.url}/api/v1/overview`, async (route) => {
      const response = await route.fetch();
      const { overview } = (await response.json()) as { overview: object };
      await route.fulfill({ response, json: { overview: { ...overview, jobs } } });
    });
    const page = await open(jobd.url);
    await signInWith(page, jobd.key);
    const filters = page.getByRole('navigation', { name: 'Jobs by state' }).getByRole('link');
    await filters.filter({ hasText: '5 all' }).waitFor();
    assert.deepEqual(await filters.allTextContents(), [
      '5 all',
      '1 down',
      '1 running',
      '2 up',
      '2 paused',
      '0 new',
      '0 missed in 24 h',
    ]);
    await filters.filter({ hasText: 'paused' }).click();
    await page.waitForURL(`${jobd.url}/?status=paused`);
    await page.getByRole('link', { name: 'one' }).waitFor({ state: 'detached' });
    await page.waitForFunction(() => document.querySelector('.name')?.textContent === 'two');
    assert.deepEqual(await namesIn(page), ['two']);
  });

  test('search and order are in the address, and a search without a hit says so', async (t) => {
    const jobd = await servePages(t);
    for (const name of ['Beta', 'Alpha', 'Gamma']) await addJob(jobd, name);
    const { page } = await signedIn(t, jobd);
    await page.getByRole('link', { name: 'Gamma' }).waitFor();
    assert.deepEqual(await namesIn(page), ['Gamma', 'Alpha', 'Beta']);
    await page.getByLabel('Order').selectOption('by name');
    await page.waitForURL(`${jobd.url}/?order=name`);
    await page.waitForFunction(() => document.querySelector('.name')?.textContent === 'Alpha');
    assert.deepEqual(await namesIn(page), ['Alpha', 'Beta', 'Gamma']);
    await page.getByLabel('Search names').fill('mm');
    await page.waitForURL(`${jobd.url}/?order=name&q=mm`);
    await page.getByRole('link', { name: 'Alpha' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Gamma' }).waitFor();
    assert.deepEqual(await namesIn(page), ['Gamma']);
    const filters = page.getByRole('navigation', { name: 'Jobs by state' }).getByRole('link');
    await filters.filter({ hasText: '1 new' }).waitFor();
    assert.equal((await filters.allTextContents())[0], '1 all', 'counted within the search');
    await page.getByLabel('Search names').fill('nothing has this');
    await page.getByText('No job has this text.').waitFor();
  });

  test('a job that goes down comes to the top by itself', async (t) => {
    const jobd = await servePages(t);
    const id = await addJob(jobd, 'Breaks');
    await addJob(jobd, 'Another');
    const { page, complaints } = await signedIn(t, jobd);
    await page.getByText('live', { exact: true }).waitFor();
    await page.mouse.move(0, 0);
    await call(jobd, 'POST', `/jobs/${id}/run`);
    const top = page.getByRole('list', { name: /^Needs attention/ });
    await top.getByRole('link', { name: 'Breaks' }).waitFor();
    assert.deepEqual(await namesIn(page), ['Another'], 'it is shown once');
    await top.getByText('refused').waitFor();
    await page.waitForFunction(() => document.title === '(1) Jobs · jobd');
    assert.deepEqual(complaints, []);
  });

  test('what broke last is first, whenever it was created', async (t) => {
    const jobd = await servePages(t);
    const older = await addJob(jobd, 'Older');
    const newer = await addJob(jobd, 'Newer');
    for (const id of [newer, older]) {
      await call(jobd, 'POST', `/jobs/${id}/run`);
      const isDown = async (): Promise<boolean> => {
        const path = `/overview/jobs/${id}`;
        return (await call<{ job: { health: string } }>(jobd, 'GET', path)).job.health === 'down';
      };
      await until('a failure', isDown);
    }
    const { page } = await signedIn(t, jobd);
    await page.getByRole('link', { name: 'Older' }).waitFor();
    assert.deepEqual(await namesIn(page, 'Needs attention (2)'), ['Older', 'Newer']);
    await page.getByRole('link', { name: '2 down', exact: true }).click();
    await page.getByRole('list', { name: 'Jobs' }).getByRole('link', { name: 'Older' }).waitFor();
    assert.deepEqual(await namesIn(page), ['Older', 'Newer']);
  });

  test('rows stay under the pointer while a change comes, and show it when asked', async (t) => {
    const jobd = await servePages(t);
    await addJob(jobd, 'First');
    const { page } = await signedIn(t, jobd);
    await page.getByText('live', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'First' }).hover();
    await addJob(jobd, 'Second');
    await page.getByRole('button', { name: '1 change · show' }).waitFor();
    assert.deepEqual(await namesIn(page), ['First']);
    await page.getByRole('button', { name: '1 change · show' }).click();
    await page.getByRole('link', { name: 'Second' }).waitFor();
    assert.deepEqual(await namesIn(page), ['Second', 'First']);
    await page.mouse.move(0, 0);
    await addJob(jobd, 'Third');
    await page.getByRole('link', { name: 'Third' }).waitFor();
  });

  test('selected jobs are paused, resumed and deleted together', async (t) => {
    const jobd = await servePages(t);
    for (const name of ['One', 'Two', 'Three']) await addJob(jobd, name);
    const { page, complaints } = await signedIn(t, jobd);
    await page.getByRole('button', { name: 'Select', exact: true }).click();
    const chosen = page.getByRole('region', { name: 'Selected jobs' });
    const choose = async (): Promise<void> => {
      await page.getByLabel('Select One').check();
      await page.getByLabel('Select Two').check();
      await chosen.getByText('2 selected').waitFor();
    };
    const filters = page.getByRole('navigation', { name: 'Jobs by state' });
    await choose();
    await chosen.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('2 jobs paused.').waitFor();
    await filters.getByText('2 paused').waitFor();
    await choose();
    await chosen.getByRole('button', { name: 'Resume' }).click();
    await page.getByText('2 jobs resumed.').waitFor();
    await choose();
    await chosen.getByRole('button', { name: 'Delete' }).click();
    const question = page.getByRole('dialog', { name: 'Delete 2 jobs?' });
    await question.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('2 jobs deleted.').waitFor();
    await filters.getByText('1 all').waitFor();
    await page.mouse.move(0, 0);
    await page.getByRole('link', { name: 'Two' }).waitFor({ state: 'detached' });
    assert.deepEqual(await namesIn(page), ['Three']);
    assert.deepEqual(complaints, []);
  });

  test('Back restores the filter and where one was', async (t) => {
    const jobd = await servePages(t);
    for (let number = 1; number <= 45; number += 1) await addJob(jobd, `Job ${number}`);
    const { open } = await person(t);
    const page = await open(`${jobd.url}/?status=new&order=name`);
    await signInWith(page, jobd.key);
    const name = page.getByRole('link', { name: 'Job 37', exact: true });
    await name.scrollIntoViewIfNeeded();
    await page.waitForFunction(() => scrollY > 500);
    // Rows out of sight have an estimated height: where this one is tells more than how far the page is scrolled.
    await name.hover();
    const top = async (): Promise<number> => (await name.boundingBox())?.y ?? Number.NaN;
    const before = await top();
    await name.click();
    await page.waitForURL(/\/jobs\/[^/]+$/);
    await page.waitForFunction(() => scrollY === 0);
    await page.goBack();
    await page.waitForURL(`${jobd.url}/?status=new&order=name`);
    await until('the same place', async () => Math.abs((await top()) - before) < 80);
  });

  test('a session that only reads has no buttons that change anything', async (t) => {
    const jobd = await servePages(t);
    const id = await addJob(jobd, 'Seen', (await startSink(t)).url);
    const { open, complaints } = await person(t);
    const page = await open(await jobd.link('--read'));
    await page.getByText('live', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Seen' }).waitFor();
    const buttons = page.getByRole('main').getByRole('button');
    assert.equal(await buttons.count(), 0);
    assert.equal(await page.getByRole('link', { name: 'New job' }).count(), 0);
    await call(jobd, 'POST', `/jobs/${id}/run`);
    await page.getByRole('img', { name: 'last run: success' }).waitFor();
    assert.deepEqual(complaints, []);
  });
});
