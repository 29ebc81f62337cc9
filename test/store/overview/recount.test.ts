/**
 * After random histories the lists, counts and strips say the same as a plain look at all rows: whatever runs, fails, is
 * missed, edited, paused, pruned, deleted or damaged.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Principal } from '../../../src/app/app.ts';
import { createOverview } from '../../../src/app/overview/counts.ts';
import { listJobs } from '../../../src/app/overview/jobs.ts';
import type { JobListRequest, JobWithRecent } from '../../../src/app/overview/jobs.ts';
import { listAllRuns, type ListedRun } from '../../../src/app/runs/all-runs.ts';
import type { PartialPage } from '../../../src/app/page.ts';
import { badRunStatuses, type RunStatus } from '../../../src/domain/runs/run.ts';
import { jobFilters, jobOrders } from '../../../src/domain/jobs/listed-job.ts';
import type { JobFilter, JobOrder } from '../../../src/domain/jobs/listed-job.ts';
import { searchFor } from '../../../src/domain/search.ts';
import { recordBatch } from '../../../src/engine/runs/record.ts';
import { findDeleted, removeDeleted } from '../../../src/store/database/owned.ts';
import { markJobDeleted } from '../../../src/store/jobs/jobs.ts';
import { insertScheduledRuns, updateClaimedJobs } from '../../../src/store/runs/claims.ts';
import { everyRun, insertQueuedRun, listRuns, runOf } from '../../../src/store/runs/runs.ts';
import { removeUpTo } from '../../support/checks/history.ts';
import { fakeClock } from '../../support/fakes/clock.ts';
import { repeatedBy, seed, seededRandom } from '../../support/dice.ts';
import { claimOf, endedRun, missedRun, queuedRun, startingRun } from '../../support/records/run.ts';
import { quietApp } from '../../support/running/app.ts';
import { openTestStore, type TestStore } from '../../support/running/store.ts';

const names = ['Backup', 'backup', 'a%b', 'A_b', 'Über', 'über', 'x\\y', '', '€ 😀'];
const dayMs = 86_400_000;
const always: { since: number | null; until: number | null } = { since: null, until: null };

/** What happens to jobs, at random. `failingSince` is kept by the test itself. */
function createHistory(setup: TestStore, random: () => number, startAt: number) {
  const { store, addJob, workspaceId } = setup;
  const failingSince = new Map<string, number>();
  let now = startAt;
  let queuedAt = 0;
  const pick = <T>(from: readonly T[]): T | undefined => from[Math.floor(random() * from.length)];

  async function liveJob() {
    const rows = store.db.selectFrom('jobs').selectAll().where('deleted_at', 'is', null);
    return pick(await rows.execute());
  }
  type LiveJob = NonNullable<Awaited<ReturnType<typeof liveJob>>>;

  async function begin(job: LiveJob, isMissed: boolean): Promise<void> {
    if (job.active_run_id !== null) return;
    if (now <= (job.claimed_up_to ?? 0)) return;
    const run = startingRun(job.id, now);
    // One that may be reported of has a row from the beginning.
    if (isMissed) await insertScheduledRuns(store.db, [missedRun(job.id, now)]);
    else if (random() < 0.3) await insertScheduledRuns(store.db, [run]);
    const nextRunAt = job.paused ? null : now + 60_000 * Math.ceil(random() * 3);
    const none = { activeRunId: null, activeFor: null, startedAt: null };
    await updateClaimedJobs(store.db, [claimOf(run, { nextRunAt, ...(isMissed && none) })]);
  }

  async function end(job: LiveJob): Promise<void> {
    if (job.active_run_id === null) return;
    const status = pick(['success', 'failed', 'failed', 'interrupted'] as const) ?? 'success';
    const finishedAt = now + Math.floor(random() * 1_000);
    const { active_run_id: runId, active_for: scheduledFor, health, failures } = job;
    const claimed = { workspaceId, health, failures, scheduledFor: scheduledFor ?? now };
    const ended = endedRun({ ...claimed, runId, jobId: job.id }, status, { finishedAt });
    const batch = { executions: [{ ended, claimed }] };
    await store.write((tx) => recordBatch(tx, batch, { receipts: false }));
    if (status === 'success') failingSince.delete(job.id);
    if (status === 'failed' && job.failures === 0) failingSince.set(job.id, finishedAt);
  }

  async function queue(job: LiveJob): Promise<void> {
    if (queuedAt === now) return;
    queuedAt = now;
    await insertQueuedRun(store.db, queuedRun(job.id, now), null);
  }

  const change = (job: LiveJob, columns: object) =>
    store.db.updateTable('jobs').set(columns).where('id', '=', job.id).execute();

  const steps: ((job: LiveJob) => Promise<unknown>)[] = [
    (job) => begin(job, false),
    (job) => begin(job, false),
    (job) => begin(job, true),
    end,
    end,
    end,
    queue,
    (job) => change(job, { paused: 1, next_run_at: null }),
    (job) => change(job, { paused: 0 }),
    (job) => change(job, { name: pick(names) ?? '' }),
    (job) => change(job, { sealed: 'v1.0000000000000000.damaged' }),
    (job) =>
      store.write((tx) =>
        removeUpTo(tx, {
          jobId: job.id,
          scheduledFor: now - Math.floor(random() * 600_000),
          source: 'manual',
        }),
      ),
  ];
  return {
    failingSince,
    async step(): Promise<void> {
      // Often two things happen at one moment.
      now += random() < 0.4 ? 0 : Math.floor(random() * 60_000);
      if (random() < 0.03) await addJob({ name: pick(names) || 'job' }, now);
      const job = await liveJob();
      if (job === undefined) return;
      if (random() < 0.01 && job.active_run_id === null) {
        await markJobDeleted(store.db, job.id, now);
        const deleted = random() < 0.5 ? await findDeleted(store.db, 'jobs') : undefined;
        if (deleted !== undefined) await removeDeleted(store.db, 'jobs', deleted, 7);
        return;
      }
      await pick(steps)?.(job);
    },
    now: () => now,
  };
}

async function all<T>(page: (cursor: string | null) => Promise<PartialPage<T>>): Promise<T[]> {
  const items: T[] = [];
  let cursor: string | null = null;
  do {
    const found: PartialPage<T> = await page(cursor);
    items.push(...found.items);
    cursor = found.nextCursor;
  } while (cursor !== null);
  return items;
}

/** The place of a run in a list of trouble, as a text that sorts the same way. */
function placeOf(run: { scheduledFor: number; jobId: string; source: string }): string {
  return `${String(run.scheduledFor).padStart(15, '0')} ${run.jobId} ${run.source}`;
}

for (const number of [1, 2, 3]) {
  test(`lists, counts and strips agree with all rows after random history ${number}`, async (t) => {
    t.diagnostic(`repeated by ${repeatedBy}`);
    const setup = await openTestStore(t);
    const { store, addJob, workspaceId } = setup;
    const clock = fakeClock();
    // Ids of this process only grow, so each history is later than the one before.
    clock.advance(number * 10 * dayMs);
    const app = quietApp({ store, clock });
    const principal = { workspaceId, accountExpiresAt: null } as Principal;
    const history = createHistory(
      setup,
      seededRandom(seed + number),
      clock.now() - dayMs - 3_600_000,
    );
    for (let count = 0; count < 8; count += 1) await addJob({}, history.now());
    for (let count = 0; count < 900; count += 1) await history.step();
    clock.advance(history.now() + dayMs / 2 - clock.now());
    for (let count = 0; count < 300; count += 1) await history.step();

    const jobs = await store.db.selectFrom('jobs').selectAll().execute();
    const live = jobs.filter((job) => job.deleted_at === null);
    const runs = (await store.db.selectFrom(everyRun).selectAll().execute()).map(runOf);
    const bad = runs.filter(({ status }) => ['failed', 'interrupted', 'missed'].includes(status));
    const since = clock.now() - dayMs;
    const lastDay = bad.filter(({ scheduledFor }) => scheduledFor >= since);
    type Job = (typeof live)[number];
    const isIn: Record<JobFilter, (job: Job) => boolean> = {
      down: (job) => job.health === 'down' && job.paused === 0,
      new: (job) => job.health === 'new' && job.paused === 0,
      up: (job) => job.health === 'up' && job.paused === 0,
      paused: (job) => job.paused === 1,
      running: (job) => job.active_run_id !== null,
      missed: (job) => lastDay.some((run) => run.jobId === job.id && run.status === 'missed'),
      held: () => false,
    };
    const count = (filter: JobFilter): number => live.filter(isIn[filter]).length;
    const countBad = (status: string): number =>
      lastDay.filter((run) => run.status === status).length;

    const { jobs: counted, lastDay: trouble } = await createOverview(app)(principal);
    assert.deepEqual(counted, {
      total: live.length,
      down: count('down'),
      running: count('running'),
      up: count('up'),
      paused: count('paused'),
      new: count('new'),
    });
    assert.deepEqual(trouble, {
      failed: countBad('failed'),
      interrupted: countBad('interrupted'),
      missed: countBad('missed'),
      isPartial: false,
    });

    const list = (request: Partial<JobListRequest>): Promise<JobWithRecent[]> =>
      all((cursor) => {
        const defaults = { filter: null, search: null, order: 'newest', limit: 3 } as const;
        return listJobs(app, principal, { ...defaults, ...request, cursor });
      });
    const isListed: Record<JobOrder, (job: Job) => boolean> = {
      newest: () => true,
      name: () => true,
      due: (job) => job.next_run_at !== null && job.active_run_id === null,
    };
    const byName = (one: Job, other: Job): number =>
      Buffer.compare(Buffer.from(one.name_lower), Buffer.from(other.name_lower)) ||
      (one.id < other.id ? -1 : 1);
    for (const filter of [null, ...jobFilters]) {
      for (const order of jobOrders) {
        const isNewestOnly = ['running', 'missed', 'held'].includes(filter ?? '');
        if (order !== 'newest' && isNewestOnly) continue;
        for (const text of [null, 'BACK', '%', '_', '\\', 'é', '127.0.0.1']) {
          const expected = live.filter(
            (job) =>
              (filter === null || isIn[filter](job)) &&
              isListed[order](job) &&
              (text === null ||
                `${job.name} ${job.url}`.toLowerCase().includes(text.toLowerCase())),
          );
          const found = await list({ filter, order, search: searchFor(text ?? '') });
          const what = `${filter} ${order} ${text}`;
          const ids = found.map(({ id }) => id);
          if (order === 'due') {
            const times = found.map(({ nextRunAt }) => nextRunAt ?? 0);
            assert.deepEqual(
              times,
              times.toSorted((one, other) => one - other),
              what,
            );
            assert.deepEqual(ids.toSorted(), expected.map(({ id }) => id).toSorted(), what);
          } else {
            const inOrder =
              order === 'name'
                ? expected.toSorted(byName)
                : expected.toSorted((one, other) => (one.id > other.id ? -1 : 1));
            assert.deepEqual(
              ids,
              inOrder.map(({ id }) => id),
              what,
            );
          }
        }
      }
    }

    for (const { id, recent, failingSince, failures } of await list({})) {
      const newest = await listRuns(store.db, id, { limit: 30, before: null });
      assert.deepEqual(recent, newest.map(({ status }) => status).toReversed());
      assert.equal(failingSince, history.failingSince.get(id) ?? null);
      assert.equal(failingSince === null, failures === 0);
    }

    const runsOf = (statuses: readonly RunStatus[] | null, limit: number, times = always) =>
      all<ListedRun>((cursor) =>
        listAllRuns(app, principal, { statuses, ...times, limit, cursor }),
      );
    const shown = await runsOf(badRunStatuses, 7);
    const liveIds = new Set(live.map(({ id }) => id));
    assert.deepEqual(
      shown.map(placeOf),
      bad
        .filter(({ jobId }) => liveIds.has(jobId))
        .map(placeOf)
        .toSorted()
        .toReversed(),
    );
    const ofAll: readonly (readonly RunStatus[] | null)[] = [
      null,
      ['missed'],
      ['success'],
      ['failed', 'running'],
    ];
    const someTime = { since: clock.now() - dayMs, until: clock.now() - dayMs / 2 };
    for (const statuses of ofAll) {
      for (const times of [always, someTime]) {
        const found = await runsOf(statuses, 7, times);
        const what = JSON.stringify([statuses, times]);
        const expected = runs.filter(
          ({ jobId, status, scheduledFor }) =>
            liveIds.has(jobId) &&
            (statuses === null || statuses.includes(status)) &&
            scheduledFor >= (times.since ?? 0) &&
            scheduledFor < (times.until ?? Infinity),
        );
        assert.deepEqual(found.map(placeOf).toSorted(), expected.map(placeOf).toSorted(), what);
        const dues = found.map(({ scheduledFor }) => scheduledFor);
        assert.deepEqual(
          dues,
          dues.toSorted((one, other) => other - one),
          `newest first: ${what}`,
        );
      }
    }
    assert.ok(shown.length > 20 && count('down') > 0 && count('missed') > 0, 'much has happened');
  });
}
