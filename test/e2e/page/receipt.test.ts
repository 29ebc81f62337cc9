/** The check of a receipt in a browser: its script is loaded when somebody looks at a receipt, under the policy of the pages. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { pages } from './pages.ts';
import { noPages, sharedDemo } from './running/served.ts';
import { viewersOf } from './running/viewers.ts';

const isVerifier = ({ pathname }: URL): boolean => /\/assets\/receipts-[\w-]+\.js$/.test(pathname);
const jobs = pages.find(({ name }) => name === 'jobs')!;
const run = pages.find(({ name }) => name === 'run-success')!;

describe('a receipt', { skip: noPages }, () => {
  test('is checked by a script that no other page loads', async (t) => {
    const { open, complaints } = await viewersOf(t, await sharedDemo());
    const page = await open(jobs);
    const asked: string[] = [];
    page.on('request', (request) => {
      if (isVerifier(new URL(request.url()))) asked.push(request.url());
    });
    await page.reload();
    await page.locator('.row').first().waitFor();
    assert.deepEqual(asked, []);
    await page.goto(new URL(run.path((await sharedDemo()).demo), page.url()).href);
    await page.getByRole('button', { name: 'Check in this browser' }).click();
    await page.getByText(/^Valid for the key \S+, first seen by this browser/).waitFor();
    assert.equal(asked.length, 1);
    assert.deepEqual(complaints(), []);
  });

  test('says what to do if that script is not there any more', async (t) => {
    const { open } = await viewersOf(t, await sharedDemo());
    const page = await open(jobs);
    await page.context().route(isVerifier, (route) => route.fulfill({ status: 404, body: '{}' }));
    await page.goto(new URL(run.path((await sharedDemo()).demo), page.url()).href);
    await page.getByRole('button', { name: 'Check in this browser' }).click();
    await page.getByText('could not be loaded. Reload the page.').waitFor();
  });
});
