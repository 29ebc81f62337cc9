/** What is shown stays true: while answers fail, while nobody looks, with a wrong clock, in a storm of changes. */

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { until } from '../../support/until.ts';
import { person } from './running/browser.ts';
import { untilQuiet } from './running/quiet.ts';
import { addJob, call, noPages, servePages, signInWith, signedIn } from './running/served.ts';
import type { ServedPages } from './running/served.ts';

/** Somebody who looks at the list of jobs, one of which is named First. The clock of the page continues, and can be moved. */
async function looking(t: TestContext, { hasClock = true, aheadMs = 0 } = {}) {
  const jobd = await servePages(t);
  const firstId = await addJob(jobd, 'First');
  const someone = await person(t, { timezoneId: 'Asia/Kolkata' });
  if (hasClock) await someone.context.clock.install({ time: Date.now() + aheadMs });
  const page = await someone.open(jobd.url);
  await signInWith(page, jobd.key);
  await page.getByRole('link', { name: 'First' }).waitFor();
  await live(page).waitFor();
  await page.mouse.move(0, 0);
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  return { jobd, firstId, page, asked, ...someone };
}

const live = (page: Page) => page.locator('.live').getByText('live', { exact: true });

async function look(page: Page, state: 'visible' | 'hidden'): Promise<void> {
  await page.evaluate((to) => {
    Object.defineProperty(document, 'visibilityState', { value: to, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  }, state);
}

/** Lets a minute of a page pass. */
async function passMinute(page: Page): Promise<void> {
  await page.clock.runFor(60_000);
  await untilQuiet(page);
}

/** Adds a job, which everybody who listens hears of. */
async function addHeard(t: TestContext, jobd: ServedPages, name: string): Promise<void> {
  const { page } = await signedIn(t, jobd);
  await live(page).waitFor();
  await page.mouse.move(0, 0);
  await addJob(jobd, name);
  await page.getByRole('link', { name }).waitFor();
}

describe('what is shown', { skip: noPages }, () => {
  test('an answer that fails is said, and asked again while the stream continues', async (t) => {
    const { jobd, page, context } = await looking(t);
    const error = 'the database is busy: try again';
    await context.route('**/api/v1/overview**', (route) =>
      route.fulfill({ status: 503, json: { error } }),
    );
    await addJob(jobd, 'Second');
    await page.getByText(/Stale since \d\d:\d\d:\d\d: the database is busy/).waitFor();
    await page.getByText(/Again in \d+ s\./).waitFor();
    await context.unroute('**/api/v1/overview**');
    await page.clock.runFor(10_000);
    await page.getByRole('link', { name: 'Second' }).waitFor();
    await page.getByText('Stale since').waitFor({ state: 'detached' });
    await live(page).waitFor();
  });

  test('a server that is asked too often is left alone for as long as it said', async (t) => {
    const { jobd, page, asked, context } = await looking(t);
    await context.route('**/api/v1/overview/jobs**', (route) =>
      route.fulfill({ status: 429, headers: { 'retry-after': '600' }, json: { error: 'wait' } }),
    );
    const lists = (): number => asked.filter((path) => path === '/api/v1/overview/jobs').length;
    await addJob(jobd, 'Second');
    await until('the refusals', () => lists() === 2);
    await untilQuiet(page);
    await context.unroute('**/api/v1/overview/jobs**');
    await addJob(jobd, 'Third');
    await page.clock.runFor(400_000);
    await untilQuiet(page);
    assert.equal(lists(), 2);
    await page.clock.runFor(250_000);
    await page.getByRole('link', { name: 'Third' }).waitFor();
  });

  test('a stream that says nothing is opened again', async (t) => {
    const { page, asked } = await looking(t);
    await page.clock.fastForward(51_000);
    await page.clock.runFor(3_000);
    await until('a new stream', () => asked.includes('/api/v1/events'));
    await live(page).waitFor();
  });

  test('nothing is asked while nobody looks; who comes back sees what is', async (t) => {
    const { jobd, page, asked } = await looking(t);
    await look(page, 'hidden');
    await untilQuiet(page);
    asked.length = 0;
    await addHeard(t, jobd, 'Second');
    await passMinute(page);
    assert.deepEqual(asked, []);
    await look(page, 'visible');
    await page.getByRole('link', { name: 'Second' }).waitFor();
  });

  test('a pause stops every request, and what one does oneself is shown', async (t) => {
    const { jobd, page, asked } = await looking(t);
    await addJob(jobd, 'Second');
    await page.getByRole('link', { name: 'Second' }).waitFor();
    await page.getByRole('button', { name: 'Pause changes of this page' }).click();
    await page.locator('.live').getByText('paused', { exact: true }).waitFor();
    await untilQuiet(page);
    asked.length = 0;
    await addHeard(t, jobd, 'Third');
    await passMinute(page);
    assert.deepEqual(asked, []);
    await page.getByRole('button', { name: 'Pause Second' }).click();
    await page.getByRole('button', { name: 'Resume Second' }).waitFor();
    await page.getByRole('button', { name: 'Show changes again' }).click();
    await page.mouse.move(0, 0);
    await page.getByRole('link', { name: 'Third' }).waitFor();
  });

  test('what is only worked out, such as a schedule, makes nothing be asked again', async (t) => {
    const { jobd, firstId, page, asked } = await looking(t);
    await page.goto(`${jobd.url}/jobs/${firstId}/edit`);
    await page.getByRole('button', { name: 'Pause changes of this page' }).click();
    await page.locator('.live').getByText('paused', { exact: true }).waitFor();
    await page.locator('.preview .due').waitFor();
    await untilQuiet(page);
    asked.length = 0;
    await page.locator('[name=cronExpr]').fill('15 4 * * *');
    await page.locator('.preview').getByText('At 04:15, every day').waitFor();
    await passMinute(page);
    assert.deepEqual(new Set(asked), new Set(['/api/v1/schedule/preview']));
  });

  test('a clock that is hours off is said, and times are those of the server', async (t) => {
    const { jobd, page } = await looking(t, { aheadMs: 12 * 3_600_000 });
    await page.getByText(/The clock of this computer is (12 h|11 h 59 m) .*ahead/).waitFor();
    await jobd.stop();
    await page.clock.runFor(2_000);
    const band = await page.getByText(/Stale since/).innerText();
    const [, hours = '', minutes = ''] = /since (\d\d):(\d\d)/.exec(band) ?? [];
    // In Asia/Kolkata, which never changes its clocks. The time of the browser is half a day from that of the server.
    const shown = (Number(hours) - 5) * 60 + Number(minutes) - 30;
    const now = new Date();
    const behind = now.getUTCHours() * 60 + now.getUTCMinutes() - shown;
    assert.ok((behind + 2 * 1_440) % 1_440 < 360, band);
  });

  test('a storm of changes takes fewer than 60 requests a minute, and leaves the page usable', async (t) => {
    const { jobd, page, asked } = await looking(t);
    const jobs: string[] = [];
    while (jobs.length < 20) jobs.push(await addJob(jobd, `Often ${jobs.length}`));
    // A key may ask 120 times a minute.
    const keys: string[] = [];
    while (keys.length < 3) keys.push(await jobd.command('key', 'create'));
    await untilQuiet(page);
    await page.clock.pauseAt(Date.now() + 60_000);
    const search = page.getByLabel('Search names');
    await search.focus();
    asked.length = 0;
    let changes = 0;
    for (let second = 0; second < 60; second += 1) {
      for (const [index, key] of keys.entries()) {
        const path = `/jobs/${jobs[(second + index * 7) % jobs.length]}`;
        const body = { action: second % 40 < 20 ? 'pause' : 'resume' };
        await call({ ...jobd, key }, 'PATCH', path, body);
        changes += 1;
      }
      if (second < 7)
        await page.keyboard.press('Often 1'[second] === ' ' ? 'Space' : 'Often 1'[second]!);
      await page.clock.runFor(1_000);
    }
    t.diagnostic(`${changes} changes, ${asked.length} requests in a minute`);
    assert.ok(asked.length < 60, asked.join(' '));
    assert.ok(asked.includes('/api/v1/overview/jobs'), 'the changes were heard');
    assert.equal(await search.inputValue(), 'Often 1');
    await page.clock.resume();
    await page.getByRole('link', { name: 'Often 19' }).first().waitFor();
  });

  test('a hundred pages later there is one stream, and no listener is left', async (t) => {
    const { page, context, asked, firstId } = await looking(t, { hasClock: false });
    const cdp = await context.newCDPSession(page);
    const figures = async () => {
      await cdp.send('HeapProfiler.collectGarbage');
      const { nodes, jsEventListeners } = await cdp.send('Memory.getDOMCounters');
      return { nodes, jsEventListeners };
    };
    const walk = async (rounds: number): Promise<void> => {
      for (let round = 0; round < rounds; round += 1) {
        await page.getByRole('main').getByRole('link', { name: 'First' }).first().click();
        await page.waitForURL(`**/jobs/${firstId}`);
        await page.goBack();
        await page.getByRole('main').getByRole('link', { name: 'First' }).first().waitFor();
      }
    };
    await context.route('**/api/v1/**', async (route) => {
      const url = route.request().url();
      if (url.endsWith('/events')) return await route.continue();
      // The limit of requests is no part of this.
      kept.set(url, kept.get(url) ?? (await (await route.fetch()).text()));
      return await route.fulfill({ contentType: 'application/json', body: kept.get(url)! });
    });
    const kept = new Map<string, string>();
    await walk(5);
    const spans = [await figures()];
    // What was shown last may still be held by what the browser does after it; what pages leave behind grows with each span.
    const grew = (): boolean => {
      const [after, before] = spans.toReversed();
      if (after === undefined || before === undefined) return true;
      const isMore = after.jsEventListeners > before.jsEventListeners + 10;
      return isMore || after.nodes > before.nodes * 1.5;
    };
    while (grew() && spans.length < 4) {
      await walk(25);
      spans.push(await figures());
    }
    t.diagnostic(JSON.stringify(spans));
    assert.ok(!grew(), JSON.stringify(spans));
    assert.equal(asked.filter((path) => path === '/api/v1/events').length, 0);
  });
});
