/** What a start says that there is to do. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { summarize } from '../../../src/store/accounts/instance.ts';
import { setupEngine } from '../../support/running/engine.ts';

test('the next due time is also that of a job whose last one has passed, as while its run goes on', async (t) => {
  const { store, addJob, clock } = await setupEngine(t);
  const hourly = {
    url: 'http://127.0.0.1:1/',
    scheduleType: 'cron',
    cronExpr: '0 * * * *',
  } as const;
  const { id } = await addJob({ ...hourly, timezone: 'UTC' });
  const hour = 3_600_000;
  const now = Math.floor(clock.now() / hour) * hour + 60_000;
  const nextOf = async () => (await summarize(store.db, now)).nextDueAt;
  const plan = async (at: number | null) =>
    void (await store.db.updateTable('jobs').set('next_run_at', at).where('id', '=', id).execute());
  await plan(now - 60_000);
  assert.equal(await nextOf(), now - 60_000 + hour);
  await addJob({ ...hourly, cronExpr: '30 * * * *', timezone: 'UTC' });
  assert.equal(await nextOf(), now - 60_000 + hour / 2);
  await plan(null);
  assert.equal(await nextOf(), now - 60_000 + hour / 2);
});
