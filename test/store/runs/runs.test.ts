import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { each } from '../../support/each.ts';
import * as fc from '../../support/fast-check.ts';
import { sql } from 'kysely';
import { newId } from '../../../src/domain/id.ts';
import { runStatuses } from '../../../src/domain/runs/run.ts';
import { testWriter, type TestWriter } from '../../support/running/writer.ts';
import type { Claim } from '../../../src/engine/runs/claim.ts';
import { openLog } from '../../../src/base/log.ts';
import { unheard } from '../../support/fakes/changes.ts';
import { rescueAll } from '../../../src/engine/runs/rescue.ts';
import { insertScheduledRuns } from '../../../src/store/runs/claims.ts';
import type { Db } from '../../../src/store/database/store.ts';
import { findRunningRuns, recordEndedRuns } from '../../../src/store/runs/ended.ts';
import type { EndedRun } from '../../../src/store/runs/ended.ts';
import {
  countRuns,
  findRun,
  findRunByIdempotencyKey,
  insertQueuedRun,
  listRuns,
} from '../../../src/store/runs/runs.ts';
import type { RunPosition } from '../../../src/store/runs/runs.ts';
import { fakeClock } from '../../support/fakes/clock.ts';
import { endedRun, missedRun, queuedRun, startingRun } from '../../support/records/run.ts';
import { uncounted } from '../../support/fakes/meter.ts';
import { openTestStore } from '../../support/running/store.ts';

async function setup(t: TestContext) {
  const { store, addJob } = await openTestStore(t);
  return { store, db: store.db, job: await addJob(), addJob };
}

test('two runs of one due time cannot be stored, whatever their states', async (t) => {
  const { db, job } = await setup(t);
  const first = startingRun(job.id, 1_000);
  assert.deepEqual([...(await insertScheduledRuns(db, [first]))], [first.id]);
  const again = [startingRun(job.id, 1_000), missedRun(job.id, 1_000)];
  assert.deepEqual([...(await insertScheduledRuns(db, again))], []);
  const direct = sql`insert into runs
      (id, job_id, workspace_id, source, status, scheduled_for, started_at)
    values (${newId(0)}, ${job.id}, ${job.workspaceId}, 'scheduled', 'running', 1000, 1000)`;
  await assert.rejects(direct.execute(db), /unique/i);
  const kept = await listRuns(db, job.id, { limit: 9, before: null });
  assert.deepEqual(each(kept, 'id'), [first.id]);
});

test('of a batch, only the due times that already have a run are skipped', async (t) => {
  const { db, job, addJob } = await setup(t);
  const other = await addJob();
  await insertScheduledRuns(db, [startingRun(job.id, 1_000)]);
  const batch = [
    startingRun(job.id, 1_000),
    startingRun(job.id, 2_000),
    startingRun(other.id, 1_000),
    startingRun(other.id, 1_000),
  ];
  const kept = await insertScheduledRuns(db, batch);
  assert.deepEqual(
    batch.map(({ id }) => kept.has(id)),
    [false, true, true, false],
  );
});

test('a manual run may have the moment of a due time', async (t) => {
  const { db, job } = await setup(t);
  await insertScheduledRuns(db, [startingRun(job.id, 1_000)]);
  const queued = queuedRun(job.id, 1_000);
  await insertQueuedRun(db, queued, null);
  assert.deepEqual(await findRun(db, job.id, queued.id), queued);
});

test('a run is found by its idempotency key, in its own job only, and stored once', async (t) => {
  const { db, job, addJob } = await setup(t);
  const other = await addJob();
  const queued = queuedRun(job.id, 1_000);
  await insertQueuedRun(db, queued, 'the key');
  assert.equal((await findRunByIdempotencyKey(db, job.id, 'the key'))?.id, queued.id);
  assert.equal(await findRunByIdempotencyKey(db, job.id, 'The key'), undefined);
  assert.equal(await findRunByIdempotencyKey(db, other.id, 'the key'), undefined);
  await assert.rejects(insertQueuedRun(db, queuedRun(job.id, 2_000), 'the key'), /unique/i);
  await insertQueuedRun(db, queuedRun(other.id, 2_000), 'the key');
});

test('a run is only found under its own job', async (t) => {
  const { db, job, addJob } = await setup(t);
  const queued = queuedRun(job.id, 1_000);
  await insertQueuedRun(db, queued, null);
  assert.equal(await findRun(db, (await addJob()).id, queued.id), undefined);
});

test('paging through runs repeats none and skips none while new ones arrive', async (t) => {
  const { db, job } = await setup(t);
  const there: string[] = [];
  for (let minute = 1; minute <= 40; minute += 1) {
    const run = startingRun(job.id, minute * 1_000);
    await insertScheduledRuns(db, [run]);
    there.push(run.id);
    if (minute % 5 > 0) continue;
    const manual = queuedRun(job.id, minute * 1_000);
    await insertQueuedRun(db, manual, null);
    there.push(manual.id);
  }
  for (const limit of [1, 3, 7, 100]) {
    const seen: string[] = [];
    let before: RunPosition | null = null;
    for (let pages = 0; pages <= there.length; pages += 1) {
      const page = await listRuns(db, job.id, { limit, before });
      seen.push(...page.map(({ id }) => id));
      before = page.at(-1) ?? null;
      if (before === null) break;
      const now = 1_000_000 * limit + pages * 1_000;
      await insertScheduledRuns(db, [startingRun(job.id, now)]);
      await insertQueuedRun(db, queuedRun(job.id, now + 1), null);
    }
    assert.equal(new Set(seen).size, seen.length, 'none is repeated');
    const old = seen.filter((id) => there.includes(id));
    assert.equal(old.length, there.length, 'none is skipped');
    const newestFirst = await listRuns(db, job.id, { limit: 1_000, before: null });
    const order = newestFirst.map(({ id }) => id).filter((id) => seen.includes(id));
    assert.deepEqual(seen, order, 'newest first');
  }
});

/** Ends every run that executes. */
async function endAll(db: Db, status: EndedRun['status'], times = 1): Promise<void> {
  const running = await findRunningRuns(db);
  const ended = running.map((run) => endedRun(run, status));
  for (let time = 0; time < times; time += 1) await recordEndedRuns(db, ended);
}

/** The events of a job, by the functions that cause them. */
const steps = fc.array(
  fc.constantFrom('ask', 'due', 'late', 'succeed', 'fail', 'interrupt', 'twice', 'crash'),
  { minLength: 5, maxLength: 30 },
);

test('the totals equal the counted rows, for any events in any order', async (t) => {
  const { store, db, addJob } = await setup(t);
  const clock = fakeClock();
  const later = (ms: number): number => {
    clock.advance(ms);
    return clock.now();
  };
  const claimAfter = (claimer: TestWriter, ms: number): Promise<Claim> => {
    later(ms);
    return claimer.claim();
  };
  await fc.assert(
    fc.asyncProperty(steps, async (walk) => {
      const job = await addJob({}, clock.now());
      const claimer = testWriter(store, clock, 100);
      const acts: Record<(typeof walk)[number], () => Promise<unknown>> = {
        ask: () => insertQueuedRun(db, queuedRun(job.id, later(1)), null),
        due: () => claimAfter(claimer, 60_000),
        late: () => claimAfter(claimer, 600_000),
        succeed: () => endAll(db, 'success'),
        fail: () => endAll(db, 'failed'),
        interrupt: () => endAll(db, 'interrupted'),
        twice: () => endAll(db, 'success', 2),
        crash: () =>
          rescueAll({ store, clock, log: openLog('silent'), meter: uncounted, changes: unheard }),
      };
      for (const step of walk) {
        await acts[step]();
        const rows = await listRuns(db, job.id, { limit: 1_000, before: null });
        const counted = runStatuses.map((status) => [
          status,
          rows.filter((run) => run.status === status).length,
        ]);
        assert.deepEqual(await countRuns(db, job.id), Object.fromEntries(counted));
      }
    }),
    { numRuns: 25 },
  );
});
