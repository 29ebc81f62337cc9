/** The home page in a real browser: its counts, and what it says while there are no jobs. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { person } from './running/browser.ts';
import { noPages, servePages, signInWith } from './running/served.ts';

describe('the home page', { skip: noPages }, () => {
  test('the first page names the key before the command that needs it', async (t) => {
    const jobd = await servePages(t);
    const { open } = await person(t);
    const page = await open(jobd.url);
    await signInWith(page, jobd.key);
    await page.getByText('No jobs yet').waitFor();
    const text = await page.getByRole('main').innerText();
    const [key, create] = [text.indexOf('jobd key create'), text.indexOf('jobd jobs create')];
    assert.ok(key >= 0 && key < create, text);
  });

  test('jobs that run now are no part of the total', async (t) => {
    const jobd = await servePages(t);
    const { open, context } = await person(t);
    const jobs = { total: 5, down: 1, running: 1, up: 2, paused: 2, new: 0 };
    await context.route(`${jobd.url}/api/v1/overview`, async (route) => {
      const response = await route.fetch();
      const { overview } = (await response.json()) as { overview: object };
      await route.fulfill({ response, json: { overview: { ...overview, jobs } } });
    });
    const page = await open(jobd.url);
    await signInWith(page, jobd.key);
    await page.getByText('1 running now').waitFor();
    const counts = page.locator('.counts').first().getByRole('listitem');
    assert.deepEqual(await counts.allTextContents(), ['1 down', '2 up', '2 paused']);
  });
});
