/** The timetable in a browser: what it says to whom, and how it moves. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { until } from '../../support/until.ts';
import { untilQuiet } from './running/quiet.ts';
import { noPages, sharedDemo } from './running/served.ts';
import { viewersOf } from './running/viewers.ts';

const leftOf = (page: Page): Promise<number> =>
  page.getByRole('region', { name: 'Timetable' }).evaluate(({ scrollLeft }) => scrollLeft);

const queryOf = (page: Page): URLSearchParams => new URL(page.url()).searchParams;

const isFocused = (of: Locator): Promise<boolean> =>
  of.evaluate((one) => one === document.activeElement);

describe('the timetable', { skip: noPages }, () => {
  test('is a table for readers, and its rows are gone through by keys', async (t) => {
    const { open, complaints } = await viewersOf(t, await sharedDemo());
    // A day around now may have two runs and no due time: a week has both at each hour.
    const page = await open({ path: () => '/timetable?zoom=7d', by: 'fleet' });
    const table = page.getByRole('table', { name: 'Timetable' });
    const backup = table.getByRole('row', { name: /Backup billing/ });
    await backup.waitFor();
    assert.match(await backup.innerText(), /At 03:00, every day/);
    // At some hours of the day, the outage of the demonstration was at three, or began during that run.
    assert.match(
      await backup.getByRole('cell').innerText(),
      /\d (success|missed|interrupted).*; due /,
    );
    const stops = table.locator('.name:not([tabindex="-1"])');
    await page.keyboard.press('j');
    assert.ok(await isFocused(stops));
    await page.keyboard.press('ArrowDown');
    assert.equal(await stops.count(), 1, 'Tab stops at one row');
    assert.ok(await isFocused(stops));
    assert.ok(await isFocused(table.locator('.name').nth(1)));
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowRight');
    const tip = page.getByRole('status').filter({ hasText: /^due, / });
    await tip.waitFor();
    await page.keyboard.press('ArrowLeft');
    await tip.waitFor({ state: 'hidden' });
    await page.keyboard.press('Enter');
    await page.waitForURL(({ pathname }) => /^\/jobs\/[^/]+\/runs\/[^/]+$/.test(pathname));
    assert.deepEqual(complaints(), []);
  });

  test('is moved by dragging and by buttons, shows more or less, and leads to runs', async (t) => {
    const { open, complaints } = await viewersOf(t, await sharedDemo());
    const page = await open({ path: () => '/timetable', by: 'fleet' });
    const region = page.getByRole('region', { name: 'Timetable' });
    await region.getByRole('row', { name: /Backup billing/ }).waitFor();
    const before = await leftOf(page);
    const box = (await region.boundingBox()) ?? assert.fail('it is not shown');
    const [x, y] = [box.x + box.width / 2, box.y + 200];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 150, y, { steps: 5 });
    await page.mouse.up();
    assert.equal(await leftOf(page), before - 150);
    assert.equal(new URL(page.url()).pathname, '/timetable', 'to drag is not to click');
    await page.getByRole('button', { name: 'Now' }).click();
    await until('now', async () => Math.abs((await leftOf(page)) - before) <= 2);
    for (let presses = 0; presses < 4; presses += 1) {
      await page.getByRole('button', { name: 'Earlier' }).click();
    }
    await until('an earlier day', async () => queryOf(page).has('at'));
    await page.getByRole('link', { name: '7 d' }).click();
    await until('a week', async () => queryOf(page).get('zoom') === '7d');
    await untilQuiet(page);
    await page.getByRole('searchbox').fill('warehouse');
    await until('one row', async () => (await region.getByRole('row').count()) === 2);
    assert.deepEqual(complaints(), []);
  });

  test('names the day at its left edge wherever it is scrolled to', async (t) => {
    const { open, complaints } = await viewersOf(t, await sharedDemo());
    const page = await open({ path: () => '/timetable', by: 'fleet' });
    const region = page.getByRole('region', { name: 'Timetable' });
    await region.getByRole('row', { name: /Backup billing/ }).waitFor();
    const head = (await region.locator('.axis .job').boundingBox()) ?? assert.fail('it is hidden');
    const day = region.locator('.times .day b').first();
    for (const beyond of [12, 300]) {
      const left = await day.evaluate((one, by) => {
        const { offsetLeft } = one.parentElement as HTMLElement;
        (one.closest('.window') as HTMLElement).scrollLeft = offsetLeft + by;
        return one.getBoundingClientRect().left;
      }, beyond);
      assert.ok(Math.abs(left - head.x - head.width) <= 1, `${left} after ${beyond} pixels`);
    }
    assert.deepEqual(complaints(), []);
  });
});
