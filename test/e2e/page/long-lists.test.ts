/** Long lists are as quick as short ones: what is asked and what is drawn does not grow with them. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { person } from './running/browser.ts';
import { untilQuiet } from './running/quiet.ts';
import { addJob, noPages, servePages, sharedDemo, signInWith } from './running/served.ts';

/** Rows that a page of a list has. */
const pageRows = 50;
/** More than this no window of 800 px shows, with what browsers draw above and below it. */
const mostDrawn = 3 * pageRows;

/** How many rows a list has, and how many of them the browser draws. */
async function rowsOf(page: Page): Promise<{ all: number; drawn: number }> {
  return await page.locator('.rows > li').evaluateAll((rows) => ({
    all: rows.length,
    drawn: rows.filter((row) =>
      row.firstElementChild?.checkVisibility({ contentVisibilityAuto: true }),
    ).length,
  }));
}

/** Notes the pages of a list that are asked for from now on: those below this path. */
function followList(page: Page, path: string): string[] {
  const asked: string[] = [];
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    if (pathname === path) asked.push(search);
  });
  return asked;
}

describe('of a long list', { skip: noPages }, () => {
  test('of jobs the first page is asked for and shown, and rows in sight are drawn', async (t) => {
    const jobd = await servePages(t);
    for (let number = 1; number <= 80; number += 1) await addJob(jobd, `Job ${number}`);
    const { open } = await person(t, { viewport: { width: 1_200, height: 800 } });
    const page = await open(`${jobd.url}/sign-in`);
    const asked = followList(page, '/api/v1/overview/jobs');
    await signInWith(page, jobd.key);
    await page.getByRole('button', { name: 'Show more' }).waitFor();
    await untilQuiet(page);
    const { all, drawn } = await rowsOf(page);
    assert.equal(all, pageRows);
    assert.ok(drawn > 5 && drawn < pageRows, `${drawn} rows are drawn`);
    assert.ok(asked.length > 0);
    assert.ok(
      asked.every((search) => !search.includes('cursor')),
      asked.join(),
    );
  });

  test('of runs each page is asked for once, and rows out of sight are not drawn', async (t) => {
    const { url, demo, link } = await sharedDemo();
    const { open } = await person(t, { viewport: { width: 1_200, height: 800 } });
    const page = await open(await link());
    await page.waitForURL(({ pathname }) => pathname === '/');
    await page.goto(`${url}/jobs/${demo.jobs.warmCache}`);
    await page.getByRole('button', { name: 'Pause changes of this page' }).click();
    await untilQuiet(page);
    const asked = followList(page, `/api/v1/jobs/${demo.jobs.warmCache}/history`);
    const before = await rowsOf(page);
    const more = page.getByRole('button', { name: 'Show more' });
    let turns = 0;
    while (await more.isVisible()) {
      await more.click();
      turns += 1;
      await untilQuiet(page);
    }
    const { all, drawn } = await rowsOf(page);
    assert.ok(turns > 4 && all > before.all + (turns - 1) * pageRows, `${all} rows`);
    assert.ok(drawn > 5 && drawn < mostDrawn, `${drawn} of ${all} rows are drawn`);
    assert.equal(new Set(asked).size, turns);
    assert.equal(asked.length, turns, asked.join());
    await page.evaluate(() => scrollTo(0, 0));
    await untilQuiet(page);
    assert.ok((await rowsOf(page)).drawn < mostDrawn, 'also at the top');
  });
});
