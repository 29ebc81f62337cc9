/** Pages stay where they are while they load, on a phone too: what comes late does not move what somebody reads. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { until } from '../../support/until.ts';
import { pages } from './pages.ts';
import { untilQuiet } from './running/quiet.ts';
import { noPages, sharedDemo } from './running/served.ts';
import { viewersOf } from './running/viewers.ts';

/** More than that is seen as a jump (web.dev/articles/cls). */
const most = 0.1;

interface Shift extends PerformanceEntry {
  value: number;
  hadRecentInput: boolean;
}

describe('while it loads', { skip: noPages }, () => {
  test('no page moves by more than a little at 360 px', async (t) => {
    const viewport = { width: 360, height: 740 };
    const { open } = await viewersOf(t, await sharedDemo(), { viewport });
    for (const shown of pages.filter(({ name }) => name !== 'docs')) {
      const page = await open(shown);
      await page.addInitScript(() => {
        const seen = Object.assign(globalThis, { moved: 0 });
        new PerformanceObserver((list) => {
          for (const { value, hadRecentInput } of list.getEntries() as Shift[]) {
            if (!hadRecentInput) seen.moved += value;
          }
        }).observe({ type: 'layout-shift', buffered: true });
      });
      let moved = Infinity;
      // An answer that is slow by chance moves what is below it: one load without that is enough.
      await until(`${shown.name} with little movement, the last time ${moved}`, async () => {
        await page.reload();
        await untilQuiet(page);
        moved = await page.evaluate(() => (globalThis as unknown as { moved: number }).moved);
        return moved <= most;
      });
      assert.ok(moved <= most);
      await page.close();
    }
  });
});
