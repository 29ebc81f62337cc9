/** What a demo says that has happened. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addHistory } from '../../../src/wings/demo/history.ts';
import { startClockedDaemon } from '../../support/running/daemon.ts';
import { openTestLocal } from '../../support/running/local.ts';

const urlOf = (host: string, path: string): string => `http://${host}.example.com/${path}`;

test('at any time of the day, a demo has had one outage', async (t) => {
  // At 7 a backup of two hours was under way from before the outage until after it.
  for (const hour of [1, 7, 13, 19]) {
    const nowMs = Date.UTC(2026, 10, 29, hour, 57);
    const { ask, dataDir, clock } = await startClockedDaemon(t, nowMs);
    await using local = await openTestLocal(dataDir, clock);
    const create = async (job: object): Promise<string> =>
      (await ask('POST', '/jobs', job)).body.job.id;
    await addHistory(local.store, create, { nowMs, beginMs: nowMs - 2 * 86_400_000, urlOf });
    const { body } = await ask('GET', '/overview/trouble?kind=outage&limit=50');
    assert.deepEqual([hour, body.trouble.length], [hour, 1], JSON.stringify(body.trouble));
  }
});
