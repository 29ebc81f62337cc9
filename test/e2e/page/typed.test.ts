/** What was typed or found is not lost: leaving, Back, other tabs that move, sign out or edit the same. */

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { until } from '../../support/until.ts';
import { person } from './running/browser.ts';
import { addJob, assertSignedOut, noPages, servePages, signInWith } from './running/served.ts';

/** Somebody who has changed the name in the editor of a job. `answers` has what they say when asked to leave. */
async function typing(t: TestContext) {
  const jobd = await servePages(t);
  const id = await addJob(jobd, 'Nightly');
  const { open, complaints } = await person(t);
  const page = await open(await jobd.link());
  const asked: string[] = [];
  const answers: boolean[] = [];
  page.on('dialog', (dialog) => {
    asked.push(dialog.type());
    void (answers.shift() === true ? dialog.accept() : dialog.dismiss());
  });
  await page.getByRole('link', { name: 'Nightly' }).click();
  await page.getByRole('link', { name: 'Edit' }).first().click();
  const name = page.getByLabel('Name', { exact: true });
  await name.waitFor();
  const type = async (): Promise<void> => {
    await name.fill('half typed');
    // The page is drawn before it asks: nobody is as quick as a test.
    await page.waitForFunction(
      () => !dispatchEvent(new Event('beforeunload', { cancelable: true })),
    );
  };
  return { jobd, id, page, open, name, type, asked, answers, complaints };
}

const at = (page: Page): string => new URL(page.url()).pathname;

describe('what was typed', { skip: noPages }, () => {
  test('is asked about by Back, links and reloads, and not while nothing changed', async (t) => {
    const { id, page, name, type, asked, answers } = await typing(t);
    await page.goBack();
    await page.goForward();
    await name.waitFor();
    assert.deepEqual(asked, []);
    await type();
    // Not `goBack` and `reload`, which wait for a page that does not come.
    await page.evaluate(() => history.back());
    await until('the question of Back', () => asked.length === 1);
    await page.waitForURL(`**/jobs/${id}/edit`);
    assert.equal(await name.inputValue(), 'half typed');
    await page.getByRole('link', { name: 'Monitors' }).click();
    assert.equal(at(page), `/jobs/${id}/edit`);
    await page.evaluate(() => location.reload());
    await until('the question of a reload', () => asked.length === 3);
    assert.equal(await name.inputValue(), 'half typed');
    assert.deepEqual(asked, ['confirm', 'confirm', 'beforeunload']);
    answers.push(true);
    await page.goBack();
    await page.waitForURL(`**/jobs/${id}`);
    await page.goBack();
    await page.waitForURL((url) => url.pathname === '/');
    assert.equal(asked.length, 4);
  });

  test('stays when another tab moves to another workspace, and the page says so', async (t) => {
    const { jobd, page, open, name, type, answers } = await typing(t);
    await jobd.command('workspace', 'create', 'other');
    await type();
    const other = await open(jobd.url);
    await other.getByLabel('Workspace').selectOption({ label: 'other' });
    await other.getByText('No jobs yet').waitFor();
    await page.getByText('Another tab moved to another workspace.').waitFor();
    assert.equal(await name.inputValue(), 'half typed');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('this tab shows another workspace, reload it').waitFor();
    // Back there, the page continues.
    await other.getByLabel('Workspace').selectOption({ label: 'default' });
    await page.getByText('Another tab moved').waitFor({ state: 'detached' });
    await other.getByLabel('Workspace').selectOption({ label: 'other' });
    await page.getByText('Another tab moved').waitFor();
    answers.push(true);
    await page.getByRole('link', { name: 'Jobs', exact: true }).first().click();
    await page.getByText('No jobs yet').waitFor();
  });

  test('is no reason to stay signed in: signing out in another tab ends every tab', async (t) => {
    const { jobd, page, open, type, asked } = await typing(t);
    await type();
    const other = await open(jobd.url);
    await other.getByRole('button', { name: 'Sign out' }).click();
    await assertSignedOut(page);
    await page.getByText('You signed out in another tab.').waitFor();
    assert.deepEqual(asked, []);
  });

  test('is not overwritten when another tab saves the same job', async (t) => {
    const { id, jobd, page, open, name, type } = await typing(t);
    await type();
    const other = await open(`${jobd.url}/jobs/${id}/edit`);
    await other.getByLabel('Name', { exact: true }).fill('From elsewhere');
    await other.getByRole('button', { name: 'Save', exact: true }).click();
    await other.getByRole('heading', { level: 1, name: 'From elsewhere' }).waitFor();
    await page.locator('.live').getByText('live', { exact: true }).waitFor();
    assert.equal(await name.inputValue(), 'half typed');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'half typed' }).waitFor();
  });

  test('and found is there again after Back: the filter, each page that was opened, the place', async (t) => {
    const jobd = await servePages(t);
    // A key may ask 120 times a minute.
    const names = Array.from({ length: 115 }, (_, index) => `Job ${index + 1}`);
    for (const name of names) await addJob(jobd, name);
    const { open } = await person(t);
    const page = await open(`${jobd.url}/?order=name&status=new`);
    await signInWith(page, jobd.key);
    const rows = page.locator('ol.rows > li');
    const more = page.getByRole('button', { name: 'Show more' });
    await more.click();
    await page.waitForFunction(() => document.querySelectorAll('ol.rows > li').length === 100);
    await more.click();
    await page.waitForFunction(() => document.querySelectorAll('ol.rows > li').length === 115);
    const name = rows.nth(110).getByRole('link').first();
    const top = async (): Promise<number> => (await name.boundingBox())?.y ?? Number.NaN;
    await name.hover();
    const before = await top();
    await name.click();
    await page.waitForURL(/\/jobs\/[^/]+$/);
    await page.goBack();
    await page.waitForURL('**/?order=name&status=new');
    await page.waitForFunction(() => document.querySelectorAll('ol.rows > li').length === 115);
    await until('the same place', async () => Math.abs((await top()) - before) < 120);
    assert.equal(await rows.count(), 115);
  });
});
