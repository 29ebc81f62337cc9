/** Links and sessions that do not work, in a real browser: what the page says. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { person } from './running/browser.ts';
import {
  assertSignedOut,
  noPages,
  openSettings,
  servePages,
  signInWith,
} from './running/served.ts';

const used = 'This link was already used, or has expired. Make a new one with the command below.';

/** Asserts that the problem is above the form, and that the key is not blamed for it. */
async function assertSaidAbove(page: Page, sentence: string | RegExp): Promise<void> {
  await page.getByRole('alert').filter({ hasText: sentence }).waitFor();
  assert.equal(await page.getByLabel('API key').getAttribute('aria-invalid'), 'false');
  assert.equal(await page.locator('form [role=alert]').count(), 0);
  await assertSignedOut(page);
}

describe('signing in fails', { skip: noPages }, () => {
  test('a used link is said above the form, and a key still signs in', async (t) => {
    const jobd = await servePages(t);
    const link = await jobd.link();
    await (await (await person(t)).open(link)).getByText('No jobs yet').waitFor();
    const { open } = await person(t);
    const page = await open(link);
    await assertSaidAbove(page, used);
    await page.getByLabel('API key').fill('cp_wrong');
    await page.keyboard.press('Enter');
    await page.locator('form [role=alert]').waitFor();
    assert.equal(await page.getByRole('alert').count(), 1);
    assert.equal(await page.getByLabel('API key').getAttribute('aria-invalid'), 'true');
    await signInWith(page, jobd.key);
  });

  test('a link that is cut off is incomplete, and is not tried', async (t) => {
    const jobd = await servePages(t);
    const { open, context } = await person(t);
    const asked: string[] = [];
    context.on('request', (request) => asked.push(`${request.method()} ${request.url()}`));
    const link = await jobd.link();
    const ends = [link.slice(0, -1), link.replace(/code=.*/, 'code=')];
    for (const end of ends) await assertSaidAbove(await open(end), 'This link is incomplete.');
    assert.deepEqual(
      asked.filter((line) => line.startsWith('POST')),
      [],
    );
    await signInWith(await open(`${jobd.url}/sign-in`), jobd.key);
    const page = await open(link.slice(0, -1));
    await page.getByRole('alert').filter({ hasText: 'This link is incomplete.' }).waitFor();
    await page.getByRole('button', { name: 'Stay signed in' }).click();
    await openSettings(page);
    await page.getByText('read and change everything').waitFor();
  });

  test('who is signed in reads why a link does not work, and stays signed in', async (t) => {
    const jobd = await servePages(t);
    const link = await jobd.link('--read');
    await (await (await person(t)).open(link)).getByText('only read').waitFor();
    const { open } = await person(t);
    await signInWith(await open(`${jobd.url}/sign-in`), jobd.key);
    const page = await open(link);
    const use = page.getByRole('button', { name: 'Use the link' });
    await use.click();
    await page.getByRole('alert').filter({ hasText: 'this link is not valid' }).waitFor();
    assert.equal(await use.count(), 0);
    // The page asks again about another link in the same tab.
    const next = await jobd.link('--read');
    await page.evaluate((to) => location.assign(to), next);
    await use.waitFor();
    assert.equal(await page.getByRole('alert').count(), 0);
    await page.getByRole('button', { name: 'Stay signed in' }).click();
    await openSettings(page);
    await page.getByText('read and change everything').waitFor();
  });

  test('who has a browser that drops the cookie over plain http hears why, once', async (t) => {
    const jobd = await servePages(t, '--base-url', 'https://jobs.example.com');
    const { open, context } = await person(t);
    const lost = /Your browser did not keep the session\. Open jobd at the address .*\(https\)/;
    // Browsers keep such a cookie at a loopback address: this name stands for another machine.
    const { port } = new URL(jobd.url);
    const page = await open(`http://jobs.test:${port}/sign-in`);
    await page.getByLabel('API key').fill(jobd.key);
    await page.keyboard.press('Enter');
    await assertSaidAbove(page, lost);
    assert.deepEqual(await context.cookies(), []);
  });
});
