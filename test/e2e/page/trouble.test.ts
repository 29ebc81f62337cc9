/** What went wrong, once each, in a real browser: an outage is one row, with why and what can be done. */

import assert from 'node:assert/strict';
import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { temporaryDirectory } from '../../support/directory.ts';
import { startSink } from '../../support/fakes/sink.ts';
import { prepareStore } from '../../support/running/prepare.ts';
import { until } from '../../support/until.ts';
import { assertAccessibleAnyhow } from './running/accessible.ts';
import { addJob, call, noPages, servePagesIn, signedIn } from './running/served.ts';

const minute = 60_000;

describe('trouble', { skip: noPages }, () => {
  test('an outage is one row that says why, and all that was missed is replayed from it', async (t) => {
    const dataDir = temporaryDirectory(t);
    const target = await startSink(t);
    const now = Date.now();
    await prepareStore(dataDir, async ({ addJob: add }) => {
      for (const name of ['first', 'second', 'third']) {
        await add(
          { name, url: target.url, scheduleType: 'period', periodSeconds: 3_600 },
          now - 90 * minute,
        );
      }
    });
    const away = new Date(now - 50 * minute);
    writeFileSync(join(dataDir, 'serve.alive'), '');
    utimesSync(join(dataDir, 'serve.alive'), away, away);
    const jobd = await servePagesIn(t, dataDir);
    const broken = await addJob(jobd, 'broken');
    await call(jobd, 'POST', `/jobs/${broken}/run`);

    const { page } = await signedIn(t, jobd);
    await page.keyboard.press('g');
    await page.keyboard.press('t');
    const outage = page.getByRole('listitem').filter({
      hasText: 'jobd was not running: 3 jobs missed 3 due times',
    });
    await outage.waitFor();
    await page.getByRole('listitem').filter({ hasText: 'failed once: refused: ' }).waitFor();
    await outage.getByText('Why?').click();
    await outage.getByText(/^From .* to .*, for 50 m.*, jobd was not running\.$/).waitFor();
    await outage
      .getByText(/jobd runs replay --since \S+ --until \S+ --status missed,inter/)
      .waitFor();
    await outage.getByRole('link', { name: 'second' }).waitFor();
    await assertAccessibleAnyhow(page);

    await page.getByRole('link', { name: 'Outages of jobd' }).click();
    await until('one row', async () => (await page.locator('.row.trouble').count()) === 1);
    assert.equal(new URL(page.url()).search, '?kind=outage');
    await outage.getByRole('button', { name: 'Replay…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Replay what was missed' });
    await dialog.getByText('third').waitFor();
    await assertAccessibleAnyhow(page);
    await dialog.getByRole('button', { name: 'Replay 3 due times' }).click();
    await dialog.getByText('Queued 3 of 3 replays.').waitFor();
    await until('the calls', () => target.received.length === 3);
    await dialog.getByRole('button', { name: 'Close' }).click();
    await dialog.waitFor({ state: 'detached' });
    await outage.getByRole('button', { name: 'Replay…' }).click();
    await dialog.getByText(/^Nothing is left to replay: all have succeeded since/).waitFor();
    assert.ok(await dialog.getByRole('button', { name: 'Replay 0 due times' }).isDisabled());
  });
});
