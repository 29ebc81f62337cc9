/** Holds: windows in which jobs are not called (docs/behavior.md#hold-1, docs/behavior.md#hold-2, docs/behavior.md#hold-4). */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { actOnJobs } from '../../../src/app/jobs/actions.ts';
import { getDueTimes, getJob, listJobs, updateJob } from '../../../src/app/jobs/jobs.ts';
import { runJob } from '../../../src/app/runs/runs.ts';
import { isoTime } from '../../../src/domain/clock.ts';
import type { JobInput } from '../../../src/domain/jobs/job-input.ts';
import type { Job } from '../../../src/domain/jobs/job.ts';
import { coverOf, type Window } from '../../../src/domain/windows.ts';
import { claimRuns } from '../../../src/engine/runs/claim.ts';
import { follow } from '../../../src/engine/runs/follow.ts';
import { createReplanner } from '../../../src/engine/upkeep/replan.ts';
import type { Db } from '../../../src/store/database/store.ts';
import { keepWindows } from '../../../src/store/accounts/windows.ts';
import { listSpans } from '../../../src/store/jobs/listed-spans.ts';
import { recordEndedRuns } from '../../../src/store/runs/ended.ts';
import * as fc from '../../support/fast-check.ts';
import { ledgersIn, wrongIn } from '../../support/checks/ledger.ts';
import { each } from '../../support/each.ts';
import { endedRun } from '../../support/records/run.ts';
import { endAt, windowOf } from '../../support/records/window.ts';
import { setupChain } from '../../support/running/chain.ts';
import { simulateService } from '../../support/simulated/service.ts';

const minute = 60_000;
/** When the first job is due. */
const due = Date.parse('2026-03-02T10:10:00Z');
const everyTen = { cronExpr: '*/10 * * * *' } satisfies Partial<JobInput>;
const url = 'http://127.0.0.1:1/';

async function setup(t: TestContext, input: Partial<JobInput> = {}) {
  const chain = await setupChain(t);
  const { store, clock, workspaceId, app, writer } = chain;
  const job = await chain.add('backup', url, { ...everyTen, ...input });
  const keep = async (...windows: Window[]) =>
    await store.write((tx) => keepWindows(tx, workspaceId, windows, clock.now()));
  /** Claims and ends what is due at a time, in as many claims as it takes. Returns the due times that were called. */
  const claim = async (now: number): Promise<number[]> => {
    clock.set(now);
    const called: number[] = [];
    const slots = {
      bounds: () => ({ limit: 9, exceptHosts: [], exceptJobs: [] }),
      take: () => true,
    };
    for (let more = true; more;) {
      const moment = { now, servingSince: now, nodeId: null };
      const claimed = await store.write((tx) => claimRuns(tx, slots, moment));
      ({ more } = claimed);
      called.push(...claimed.executions.map(({ scheduledFor }) => scheduledFor));
      const ends = claimed.executions.map((run) => endedRun(run, 'success'));
      await store.write((tx) => recordEndedRuns(tx, ends));
    }
    return called;
  };
  const ledger = async (of: Pick<Job, 'id'> = job) => {
    const ledgers = await ledgersIn(store.db, clock);
    assert.deepEqual(wrongIn(ledgers), []);
    const its = ledgers.find(({ id }) => id === of.id);
    const sums: Record<string, number> = { called: its?.called ?? -1, missed: its?.missed ?? -1 };
    for (const { reason, count } of its?.explained ?? []) {
      sums[reason] = (sums[reason] ?? 0) + count;
    }
    return sums;
  };
  const shown = async () => (await getJob(app, writer, job.id)).nextRunAt;
  return { ...chain, job, keep, claim, ledger, shown };
}

test('due times in a hold are neither called nor missed, the ledger has them, and the job is called after it', async (t) => {
  const { job, keep, claim, ledger, shown, store, app, writer } = await setup(t);
  const until = due + 60 * minute;
  await keep(windowOf('hold', due + minute, until));
  assert.equal(await shown(), due);
  assert.deepEqual(await claim(due), [due]);
  assert.equal(await shown(), until, 'the due time after the hold, from the start');
  const page = { limit: 9, cursor: null, name: null, idPrefix: null };
  const { items } = await listJobs(app, writer, page);
  assert.deepEqual(each(items, 'nextRunAt'), [until]);
  assert.deepEqual((await getDueTimes(app, writer, job.id, 2)).next, [until, until + 10 * minute]);
  for (let at = due + 10 * minute; at < until; at += 10 * minute) {
    assert.deepEqual(await claim(at), []);
  }
  assert.deepEqual(await ledger(), { called: 1, missed: 0, held: 5 });
  assert.deepEqual(await claim(until), [until]);
  assert.deepEqual(await ledger(), { called: 2, missed: 0, held: 5 });
  const spans =
    (
      await listSpans(store.db, [job.id], { after: 0, until: Number.MAX_SAFE_INTEGER, limit: 100 })
    ).get(job.id) ?? [];
  assert.deepEqual(
    each(spans, 'endReason', 'heldUntil'),
    [
      ['held', null],
      [null, until - 10 * minute],
    ],
    'a hold is one row',
  );
});

test('what was due before a hold is missed apart from what was due after it, and what is held is not', async (t) => {
  const { job, keep, claim, ledger, runsOf } = await setup(t);
  await keep(windowOf('hold', due + 25 * minute, due + 55 * minute));
  const now = due + 95 * minute;
  assert.deepEqual(await claim(now), []);
  const runs = await runsOf(job);
  assert.deepEqual(
    runs.map(({ status, scheduledFor }) => [status, scheduledFor - due]),
    [
      ['missed', 0],
      ['missed', 60 * minute],
    ],
  );
  assert.deepEqual(await ledger(), { called: 0, missed: 7, held: 3 });
});

test('a held job runs by hand; neither another job nor a miss starts it', async (t) => {
  const { job, keep, claim, add, store, clock, app, writer, runsOf } = await setup(t, {
    makeUpSeconds: 36_000,
  });
  const follower = await add('after', url, { after: { jobId: job.id, on: 'success' } });
  const free = await add('free', url, { after: { jobId: job.id, on: 'success' } });
  await keep(
    windowOf('hold', due + 15 * minute, due + 60 * minute, { jobIds: [job.id, follower.id] }),
  );
  await claim(due + 16 * minute);
  assert.deepEqual(each(await runsOf(job), 'status'), ['missed'], 'it is not made up for');
  const { id: runId } = await runJob(app, writer, job.id, null);
  assert.deepEqual(await claim(clock.now()), [clock.now()]);
  const ended = endedRun({ runId, jobId: job.id }, 'success', { finishedAt: clock.now() });
  const claimed = { ...job, scheduledFor: clock.now(), isFollowed: true };
  const { queued } = await store.write((tx) => follow(tx, { ended: [{ ended, claimed }] }));
  assert.deepEqual(each(queued, 'jobId'), [free.id]);
});

test('a hold that is ended or deleted lets the next due time be called, and what was held stays held', async (t) => {
  const { keep, claim, ledger, shown } = await setup(t);
  const hold = windowOf('hold', due - minute, due + 600 * minute);
  await keep(hold);
  assert.deepEqual(await claim(due), []);
  assert.deepEqual(await claim(due + 10 * minute), []);
  await keep({ ...hold, endedAt: isoTime(due + 11 * minute) });
  assert.equal(await shown(), due + 20 * minute);
  assert.deepEqual(await claim(due + 20 * minute), [due + 20 * minute]);
  await keep({ ...hold, from: isoTime(due + 25 * minute) });
  assert.deepEqual(await claim(due + 30 * minute), []);
  await keep();
  assert.deepEqual(await claim(due + 40 * minute), [due + 40 * minute]);
  assert.deepEqual(await ledger(), { called: 2, missed: 0, held: 3 });
});

test('due times that are all held are said to be, and those that are over are not', async (t) => {
  const { keep, job, store, app, writer } = await setup(t);
  const always = ['0 * * * *', '30 * * * *'].map((cronExpr) =>
    windowOf('hold', due, due, { from: null, until: null, cronExpr, durationSeconds: 3_000 }),
  );
  await keep(...always);
  const told = async () => await getDueTimes(app, writer, job.id, 2);
  const held = { next: [], notes: ['windows hold its next due times'] };
  const { next, notes } = await told();
  assert.deepEqual({ next, notes }, held);
  await store.db.updateTable('jobs').set({ next_run_at: null }).execute();
  assert.deepEqual((await told()).notes, ['not due again within 41 years']);
});

test('a one-time job is not held', async (t) => {
  const { job, keep, claim, add, shown, app, writer } = await setup(t);
  await keep(windowOf('hold', due - minute, due + 600 * minute));
  const single = await add('once', url, { runAt: isoTime(due + minute), timezone: 'UTC' });
  assert.equal((await getJob(app, writer, single.id)).nextRunAt, due + minute);
  assert.deepEqual((await getDueTimes(app, writer, single.id, 2)).next, [due + minute]);
  assert.deepEqual(await claim(due + minute), [due + minute]);
  assert.equal((await getJob(app, writer, single.id)).heldUntil, undefined);
  assert.equal((await getJob(app, writer, job.id)).heldUntil, due + 600 * minute);
  assert.equal(await shown(), due + 600 * minute);
});

test('labels decide which jobs are held at each moment, and mutes hold nothing', async (t) => {
  const { job, keep, claim, app, writer } = await setup(t, { labels: { client: 'acme' } });
  const about = { selector: 'client=acme' };
  await keep(
    windowOf('hold', due, due + 600 * minute, about),
    windowOf('mute', due, due + 600 * minute),
  );
  assert.deepEqual(await claim(due), []);
  await updateJob(app, writer, job.id, { labels: { client: 'other' } });
  assert.deepEqual(await claim(due + 10 * minute), [due + 10 * minute]);
});

test('a start in a hold changes nothing; a pause in it is a pause', async (t) => {
  const { job, keep, claim, ledger, clock, store, app, writer } = await setup(t);
  await keep(windowOf('hold', due, due + 60 * minute));
  await claim(due + 10 * minute);
  const replanner = createReplanner(store, clock);
  for (let restMs = 0; restMs !== Infinity;) {
    const step = await replanner.step();
    assert.equal(step.changed, 0);
    ({ restMs } = step);
  }
  clock.set(due + 12 * minute);
  await actOnJobs(app, writer, { action: 'pause', ids: [job.id] });
  clock.set(due + 32 * minute);
  await actOnJobs(app, writer, { action: 'resume', ids: [job.id] });
  await claim(due + 40 * minute);
  await claim(due + 50 * minute);
  assert.deepEqual(await claim(due + 60 * minute), [due + 60 * minute]);
  assert.deepEqual(await ledger(), { called: 1, missed: 0, held: 4, paused: 2 });
});

/** No due time of a part of time was called or missed in a hold. */
async function requireNoneInHolds(
  db: Db,
  windows: readonly Window[],
  { from, until }: { from: number; until: number },
): Promise<void> {
  const runs = await db
    .selectFrom('runs')
    .select(['job_id', 'status', 'scheduled_for', 'last_due_at'])
    .where('scheduled_for', '>', from)
    .where('scheduled_for', '<=', until)
    .execute();
  for (const { job_id: id, status, scheduled_for: first, last_due_at: last } of runs) {
    const its = windows.filter((one) => coverOf(one)(id, null));
    for (const at of [first, last ?? first]) {
      assert.equal(endAt(its, at), null, `${status} at ${isoTime(at)}`);
    }
  }
}

/** What happens to a job, and how many minutes after what happened before. */
const acts = fc.array(
  fc.record({
    after: fc.integer({ min: 0, max: 90 }),
    act: fc.oneof(
      fc.constantFrom('pause', 'resume', 'edit', 'end', 'delete').map((what) => ({ what, ms: 0 })),
      fc.integer({ min: -120, max: 180 }).map((ms) => ({ what: 'clock', ms: ms * minute })),
      fc.record({
        what: fc.constantFrom('hold', 'hold', 'recurring', 'other'),
        ms: fc.integer({ min: 1, max: 100 }).map((minutes) => minutes * minute),
      }),
    ),
  }),
  { minLength: 1, maxLength: 14 },
);

test('the ledger is complete over pauses, edits, outages, holds and clocks that are set; none is called in a hold', async (t) => {
  const run = async (history: typeof acts extends fc.Arbitrary<infer T> ? T : never) => {
    const service = await simulateService(t, '2026-03-02T10:00:30Z');
    const { store, clock, workspaceId } = service;
    const id = await service.addJob({ cronExpr: '*/5 * * * *' });
    const other = await service.addJob({
      scheduleType: 'period',
      cronExpr: null,
      periodSeconds: 420,
    });
    let windows: Window[] = [];
    const keep = async (all: Window[]) => {
      windows = all;
      await store.write((tx) => keepWindows(tx, workspaceId, all, clock.now()));
    };
    /** Up to when due times were decided on: a clock that is set back finds what was called already. */
    let latest = clock.now();
    const now = () => clock.now();
    const does: Record<string, (ms: number) => Promise<unknown>> = {
      pause: () => service.act(id, 'pause'),
      resume: () => service.act(id, 'resume'),
      edit: () => service.change(id, { cronExpr: `*/${3 + (now() % 5)} * * * *` }),
      clock: (ms) => service.setClock(now() + ms),
      hold: (ms) => keep([...windows, windowOf('hold', now() + ms / 2, now() + ms)]),
      other: (ms) => keep([...windows, windowOf('hold', now(), now() + ms, { jobIds: [other] })]),
      recurring: (ms) =>
        keep([
          ...windows,
          windowOf('hold', now(), now(), {
            from: null,
            until: null,
            cronExpr: '20 * * * *',
            durationSeconds: Math.min(ms, 50 * minute) / 1_000,
          }),
        ]),
      end: () => keep(windows.map((one) => ({ ...one, endedAt: isoTime(now()) }))),
      delete: () => keep(windows.slice(1)),
    };
    for (const { after, act } of history) {
      const from = now();
      await service.serveUntil(from + after * minute);
      await requireNoneInHolds(store.db, windows, { from: Math.max(from, latest), until: now() });
      latest = Math.max(latest, now());
      await does[act.what]?.(act.ms);
      latest = Math.max(latest, now());
    }
    await service.serveUntil(now() + 30 * minute);
    assert.deepEqual(wrongIn(await ledgersIn(store.db, clock)), []);
  };
  await fc.assert(fc.asyncProperty(acts, run), { numRuns: 25 });
});
