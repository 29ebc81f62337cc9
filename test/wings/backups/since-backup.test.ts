/** What a restore does about due times since the backup: none is called twice, and none is lost. */

import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { sql } from 'kysely';
import type { Window } from '../../../src/domain/windows.ts';
import { errorOf } from '../../../src/domain/runs/reason.ts';
import { claimDueJobs } from '../../../src/engine/runs/due.ts';
import { keepWindows } from '../../../src/store/accounts/windows.ts';
import { markJobDeleted } from '../../../src/store/jobs/jobs.ts';
import { recordEndedRuns } from '../../../src/store/runs/ended.ts';
import { insertQueuedRun, listRuns } from '../../../src/store/runs/runs.ts';
import { masterKeysInFile } from '../../../src/secrets/master-keys.ts';
import { makeBackup, restoreBackup } from '../../../src/wings/backups/backups.ts';
import { ledgersIn, wrongIn } from '../../support/checks/ledger.ts';
import { fakeClock } from '../../support/fakes/clock.ts';
import { temporaryDirectory } from '../../support/directory.ts';
import { endedRun, queuedRun } from '../../support/records/run.ts';
import { windowOf } from '../../support/records/window.ts';
import { openTestLocal } from '../../support/running/local.ts';
import { sqliteTest } from '../../support/running/sqlite.ts';
import { prepareStore } from '../../support/running/prepare.ts';

const minute = 60_000;
const begun = Date.parse('2026-03-02T10:00:30Z');

function timeAt(minutes: number): number {
  return begun + minutes * minute;
}

/** Two jobs that are due each minute, served until `begun`, and a backup of then. Times are minutes after `begun`. */
async function backedUp(
  t: TestContext,
  { waiting = false, calling = false, holds = [] as Window[] } = {},
) {
  const dataDir = temporaryDirectory(t);
  const file = join(temporaryDirectory(t), 'kept.db');
  const masterKeys = masterKeysInFile(dataDir);
  const ids = await prepareStore(dataDir, async ({ addJob }) => {
    const job = { url: 'http://127.0.0.1/', cronExpr: '* * * * *', timezone: 'UTC' };
    const jobs = [
      { ...job, name: 'a' },
      { ...job, name: 'b' },
    ];
    return await Promise.all(jobs.map(async (one) => (await addJob(one, timeAt(-5))).id));
  });
  /** Serves once: calls what is due, and returns the due times that are called, each once, and how many jobs missed some. */
  const serve = async (minutes: number) => {
    await using local = await openTestLocal(dataDir);
    return await local.store.write(async (tx) => {
      const bounds = { limit: 10, exceptHosts: [], exceptJobs: [] };
      const moment = { now: timeAt(minutes), servingSince: timeAt(minutes), nodeId: null };
      const slots = { bounds: () => bounds, take: () => true };
      const { executions, missed } = await claimDueJobs(tx, slots, moment);
      const ended = calling && minutes === 0 ? executions.slice(1) : executions;
      await recordEndedRuns(
        tx,
        ended.map((run) => endedRun(run, 'success')),
      );
      const called = executions.map(({ scheduledFor }) =>
        Math.ceil((scheduledFor - begun) / minute),
      );
      return { called, missed: missed.length };
    });
  };
  const forget = async (id = ''): Promise<void> => {
    await using local = await openTestLocal(dataDir);
    await markJobDeleted(local.store.db, id, begun);
  };
  const restore = async (minutes: number) => {
    const descriptor = fs.openSync(file, 'r');
    t.after(() => fs.closeSync(descriptor));
    const how = { withoutKey: false, unverified: false, confirm: async () => {} };
    const source = { path: file, descriptor, log: null };
    const clock = fakeClock(timeAt(minutes));
    const { decided, unknown, dropped, inFlight } = await restoreBackup(source, {
      dataDir,
      clock,
      masterKeys,
      ...how,
    });
    return { decided, unknown, ...(dropped > 0 && { dropped }), ...(inFlight > 0 && { inFlight }) };
  };
  /** What became of all due times. */
  const account = async (minutes: number) => {
    await using local = await openTestLocal(dataDir);
    const jobs = await ledgersIn(local.store.db, fakeClock(timeAt(minutes)));
    assert.deepEqual(wrongIn(jobs), []);
    return jobs.map(({ called, missed, explained }) => ({
      called,
      missed,
      restored: explained.map(({ reason, count }) => `${reason} ${count}`).join(),
    }));
  };
  for (let at = -4; at <= 0; at += 1) await serve(at);
  if (waiting) {
    await using local = await openTestLocal(dataDir);
    for (const id of ids) await insertQueuedRun(local.store.db, queuedRun(id, begun), null);
  }
  if (holds.length > 0) {
    await using local = await openTestLocal(dataDir);
    const [first] = await local.store.db.selectFrom('workspaces').select('id').execute();
    await keepWindows(local.store.db, first?.id ?? '', holds, begun);
  }
  const target = { path: file, descriptor: null };
  await makeBackup({ dataDir, target, masterKeys, allowEmpty: false });
  return { dataDir, ids, serve, restore, account, forget };
}

sqliteTest(
  'what the replaced database has called is neither called again nor missed',
  async (t) => {
    const { serve, restore, account } = await backedUp(t);
    for (const at of [1, 2]) assert.deepEqual((await serve(at)).called, [at, at]);
    assert.deepEqual(await restore(2.2), { decided: 4, unknown: 0 });
    assert.deepEqual(await serve(2.4), { called: [], missed: 0 });
    assert.deepEqual((await serve(3)).called, [3, 3], 'what comes is called');
    const each = { called: 6, missed: 0, restored: 'restored 2' };
    assert.deepEqual(await account(3), [each, each]);
  },
);

sqliteTest('what nobody called since is called late or missed, as after every stop', async (t) => {
  const { serve, restore, account } = await backedUp(t);
  await serve(1);
  // Stopped until now.
  assert.deepEqual(await restore(4.2), { decided: 2, unknown: 0 });
  assert.deepEqual(await serve(4.4), { called: [4, 4], missed: 2 });
  const each = { called: 6, missed: 2, restored: 'restored 1' };
  assert.deepEqual(await account(4.4), [each, each]);
});

sqliteTest(
  'where nobody knows what was called, nothing is called again, and it is missed',
  async (t) => {
    const { dataDir, ids, serve, restore, account, forget } = await backedUp(t);
    await serve(1);
    await forget(ids[1]);
    assert.deepEqual(await restore(1.2), { decided: 1, unknown: 1 });
    fs.rmSync(join(dataDir, 'jobd.db'));
    assert.deepEqual(await restore(2.2), { decided: 0, unknown: 4 });
    assert.deepEqual(await serve(2.4), { called: [], missed: 0 });
    const each = { called: 5, missed: 2, restored: '' };
    assert.deepEqual(await account(2.4), [each, each]);
    await using local = await openTestLocal(dataDir);
    const [run] = await listRuns(local.store.db, ids[0] ?? '', { limit: 1, before: null });
    assert.ok(run !== undefined);
    assert.match(errorOf(run) ?? '', /^missed: 2 due times .*: the database was restored from/);
  },
);

sqliteTest('what a window held since is neither called nor missed nor unknown', async (t) => {
  const holds = [windowOf('hold', timeAt(1), timeAt(3))];
  const { dataDir, restore, serve, account } = await backedUp(t, { holds });
  fs.rmSync(join(dataDir, 'jobd.db'));
  // Due at 1, 4 and 5, and held at 2 and 3.
  assert.deepEqual(await restore(5.2), { decided: 0, unknown: 6 });
  assert.deepEqual(await serve(5.4), { called: [], missed: 0 });
  assert.deepEqual((await serve(6)).called, [6, 6]);
  const each = { called: 6, missed: 3, restored: 'held 2' };
  assert.deepEqual(await account(6), [each, each]);
});

sqliteTest('runs that waited go on waiting only if they are known to wait still', async (t) => {
  const { dataDir, restore } = await backedUp(t, { waiting: true });
  const known = { decided: 0, unknown: 0 };
  assert.deepEqual(await restore(0.2), known, 'both wait still');
  {
    await using local = await openTestLocal(dataDir);
    await sql`delete from runs where status = 'queued'
      and id = (select min(id) from runs where status = 'queued')`.execute(local.store.db);
  }
  assert.deepEqual(await restore(0.3), { ...known, dropped: 1 }, 'one is not known any more');
  fs.rmSync(join(dataDir, 'jobd.db'));
  assert.deepEqual(await restore(0.4), { ...known, dropped: 2 }, 'nothing is known');
});

sqliteTest('calls in flight at the backup are counted, and not called again', async (t) => {
  const { restore, serve } = await backedUp(t, { calling: true });
  assert.deepEqual(await restore(0.2), { decided: 0, unknown: 0, inFlight: 1 });
  assert.deepEqual((await serve(1)).called, [1], 'the other job waits for the end of its call');
});
