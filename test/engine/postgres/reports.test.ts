/** Reports that come while their runs end (docs/behavior.md#report-3): on time, or refused. */

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { sql } from 'kysely';
import { unheard } from '../../support/fakes/changes.ts';
import { rescueAll } from '../../../src/engine/runs/rescue.ts';
import { openLog } from '../../../src/base/log.ts';
import type { Db, Store } from '../../../src/store/database/store.ts';
import { findJob } from '../../../src/store/jobs/jobs.ts';
import { insertScheduledRuns } from '../../../src/store/runs/claims.ts';
import {
  beginWaits,
  closeWaits,
  findDueWaits,
  keepProgress,
  keepReports,
} from '../../../src/store/runs/reports.ts';
import { recordEndedRuns } from '../../../src/store/runs/ended.ts';
import { findRun } from '../../../src/store/runs/runs.ts';
import { fakeClock } from '../../support/fakes/clock.ts';
import { uncounted } from '../../support/fakes/meter.ts';
import { racesIn } from '../../support/postgres/races.ts';
import { postgresOfFile } from '../../support/postgres/server.ts';
import { beginRuns, endedRun, startingRun } from '../../support/records/run.ts';
import { openTestStore } from '../../support/running/store.ts';

const { skip, newDatabase } = postgresOfFile();

/** A run whose call is in flight, and what may happen to it and others. */
async function setup(t: TestContext) {
  const database = await newDatabase();
  const { store, addJob, workspaceId } = await openTestStore(t, database);
  const clock = fakeClock();
  const now = clock.now();
  const addRun = async (): Promise<{ runId: string; jobId: string }> => {
    const { id: jobId } = await addJob();
    const run = startingRun(jobId, now);
    await insertScheduledRuns(store.db, [run]);
    await beginRuns(store.db, run);
    return { runId: run.id, jobId };
  };
  const run = await addRun();
  const answer = { attempts: 1, httpStatus: 202, responseBody: '', truncated: 0 };
  const wait = { ...answer, acceptedAt: now, expiresAt: now };
  const report = { at: now, outcome: 'success', by: 'target', message: null } as const;
  const progress = { at: now, percent: 50, line: null };
  return {
    store,
    workspaceId,
    run,
    addRun,
    rescue: () =>
      rescueAll({ store, clock, log: openLog('silent'), meter: uncounted, changes: unheard }),
    beginWaits: (tx: Db, ...runs: { runId: string }[]) =>
      beginWaits(
        tx,
        runs.map(({ runId }) => ({ runId, ...wait })),
      ),
    report: (tx: Db, ...runs: { runId: string }[]) =>
      keepReports(
        tx,
        runs.map(({ runId }) => ({ runId, ...report })),
      ),
    progress: (tx: Db, ...runs: { runId: string }[]) =>
      keepProgress(
        tx,
        runs.map(({ runId }) => ({ runId, ...progress })),
      ),
    end: (tx: Db, ...runs: { runId: string; jobId: string }[]) =>
      recordEndedRuns(
        tx,
        runs.map((one) => endedRun(one, 'failed')),
      ),
    findDue: (tx: Db) => findDueWaits(tx, { now, acceptedFrom: 0, limit: 1 }),
    read: () => findRun(store.db, run.jobId, run.runId),
    ...racesIn(store, database),
  };
}

/** Does work in a transaction, and counts how often it begins. */
function counted(store: Store) {
  let tries = 0;
  return {
    write: <T>(work: (tx: Db) => Promise<T>): Promise<T> =>
      store.write((tx) => {
        tries += 1;
        return work(tx);
      }),
    get tries() {
      return tries;
    },
  };
}

describe('a report of a call in flight', { skip }, () => {
  test('is in the error of its run, which is interrupted as soon as it is kept', async (t) => {
    const { run, report, rescue, read, race } = await setup(t);
    await race(
      async (tx) => assert.deepEqual(await report(tx, run), [true]),
      async () => assert.equal(await rescue(), 1),
    );
    assert.match(String((await read())?.detail), /; its target had reported success$/);
  });

  for (const kind of ['report', 'progress'] as const) {
    test(`is refused if its run ends before it is kept: ${kind}`, async (t) => {
      const { store, run, end, [kind]: keep, race } = await setup(t);
      await race(
        (tx) => end(tx, run),
        async () => assert.deepEqual(await store.write((tx) => keep(tx, run)), [false]),
      );
    });
  }

  test('counts if its answer of 202 is kept at the same moment', async (t) => {
    const { store, run, report, findDue, race, ...runs } = await setup(t);
    await race(
      (tx) => runs.beginWaits(tx, run),
      async () => assert.deepEqual(await store.write((tx) => report(tx, run)), [true]),
    );
    const [due] = await findDue(store.db);
    assert.equal(due?.outcome, 'success');
  });

  test('lets its call begin to wait with others: nobody has to begin anew', async (t) => {
    const { store, run, addRun, report, race, ...runs } = await setup(t);
    const other = await addRun();
    const [first, last] = run.runId < other.runId ? [run, other] : [other, run];
    const all = counted(store);
    await race(
      (tx) => sql`select from runs where id = ${last.runId} for update`.execute(tx),
      () => all.write((tx) => runs.beginWaits(tx, last, first)),
      () => all.write((tx) => report(tx, last, first)),
    );
    assert.equal(all.tries, 2);
  });
});

describe('a call that is answered 202', { skip }, () => {
  test('waits for its report, although nobody seems to execute it', async (t) => {
    const { run, rescue, read, race, ...runs } = await setup(t);
    await race(
      (tx) => runs.beginWaits(tx, run),
      async () => assert.equal(await rescue(), 0),
    );
    assert.equal((await read())?.status, 'running');
  });

  for (const by of ['report', 'deletion'] as const) {
    test(`ends its wait beside a ${by}: nobody has to begin anew`, async (t) => {
      const { store, workspaceId, run, report, end, findDue, begin, ...runs } = await setup(t);
      await store.write((tx) => runs.beginWaits(tx, run));
      const others = {
        report: async (tx: Db) => assert.deepEqual(await report(tx, run), [false]),
        deletion: async (tx: Db) =>
          assert.equal((await findJob(tx, workspaceId, run.jobId))?.activeRunId, null),
      };
      const all = counted(store);
      const { ended } = await all.write(async (tx) => {
        assert.equal((await findDue(tx)).length, 1);
        const begun = await begin(() => all.write(others[by]));
        await closeWaits(tx, [{ runId: run.runId, outcome: 'expired' }]);
        await end(tx, run);
        return begun;
      });
      await ended;
      assert.equal(all.tries, 2);
    });
  }
});
