/** The pages as people set up their screens: with colours of their own, and without motion. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { pages } from './pages.ts';
import { noPages, sharedDemo } from './running/served.ts';
import { viewersOf } from './running/viewers.ts';

/** The values of a property of all elements that a selector finds, each once. */
async function valuesOf(page: Page, selector: string, property: string): Promise<string[]> {
  const all = await page
    .locator(selector)
    .evaluateAll(
      (elements, name) => elements.map((one) => getComputedStyle(one).getPropertyValue(name)),
      property,
    );
  assert.ok(all.length > 0, `${selector} finds nothing`);
  return [...new Set(all)];
}

/** Opens a page by its name in pages.ts. */
const named = (name: string) => pages.find((one) => one.name === name)!;

describe('the pages', { skip: noPages }, () => {
  test('with the colours of the system, signs, bars, buttons and the focus are seen', async (t) => {
    const { open } = await viewersOf(t, await sharedDemo(), { forcedColors: 'active' });
    const page = await open(named('jobs'));
    const [ink = ''] = await valuesOf(page, 'body', 'color');
    const [paper = ''] = await valuesOf(page, 'body', 'background-color');
    assert.notEqual(ink, paper);
    assert.deepEqual(await valuesOf(page, '.row .glyph path:not(.line)', 'fill'), [ink]);
    assert.deepEqual(await valuesOf(page, '.row .glyph .line', 'stroke'), [ink]);
    const bars = '.strip :is(.success, .failed, .missed, .interrupted, .running)';
    assert.deepEqual(await valuesOf(page, bars, 'fill'), [ink]);
    assert.deepEqual(await valuesOf(page, 'button', 'border-top-style'), ['solid']);
    assert.ok(!(await valuesOf(page, 'button', 'border-top-color')).includes(paper));
    assert.deepEqual(await valuesOf(page, '.filters [aria-current]', 'border-top-width'), ['3px']);
    await page.keyboard.press('Tab');
    assert.deepEqual(await valuesOf(page, ':focus-visible', 'outline-style'), ['solid']);
    assert.ok(!(await valuesOf(page, ':focus-visible', 'outline-color')).includes(paper));
    const job = await open(named('job'));
    assert.deepEqual(await valuesOf(job, '.chart .line', 'stroke'), [ink]);
    assert.deepEqual(await valuesOf(job, '.chart .failures', 'fill'), [ink]);
    const run = await open(named('run-success'));
    assert.deepEqual(await valuesOf(run, '[aria-pressed=true]', 'border-top-width'), ['3px']);
    assert.deepEqual(await valuesOf(run, '[aria-pressed=false]', 'border-top-width'), ['1px']);
  });

  test('the ring of a running job turns, unless somebody wants no motion', async (t) => {
    const { open } = await viewersOf(t, await sharedDemo());
    const page = await open({ path: () => '/' });
    await page.locator('.row.running .turning').waitFor();
    const animations = (): Promise<number> => page.evaluate(() => document.getAnimations().length);
    assert.ok((await animations()) > 0);
    await page.emulateMedia({ reducedMotion: 'reduce' });
    assert.equal(await animations(), 0);
  });
});
