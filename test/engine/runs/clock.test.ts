/** A wall clock that steps: nothing is called twice, and no job waits for a wrong time. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isoTime } from '../../../src/domain/clock.ts';
import type { Job } from '../../../src/domain/jobs/job.ts';
import { watchClock } from '../../../src/engine/clock-watch.ts';
import { createReplanner } from '../../../src/engine/upkeep/replan.ts';
import { insertScheduledRuns } from '../../../src/store/runs/claims.ts';
import { keepLedgerCheck } from '../../../src/store/runs/ledger-checks.ts';
import { insertQueuedRun } from '../../../src/store/runs/runs.ts';
import { ledgersIn, wrongIn } from '../../support/checks/ledger.ts';
import { missedRun, queuedRun } from '../../support/records/run.ts';
import { fakeClock } from '../../support/fakes/clock.ts';
import { dueAt, dueOnce, setupEngine } from '../../support/running/engine.ts';
import { startHeldSink } from '../../support/fakes/held-sink.ts';
import { startSink } from '../../support/fakes/sink.ts';
import { until } from '../../support/until.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;

test('the clock check detects steps and sleep, and ignores normal passing of time', () => {
  const clock = fakeClock(0);
  const check = watchClock(clock);
  const steps: [number, number, number][] = [
    [1_000, 1_000, 0],
    [hour, hour, 0],
    [hour + 5, 5, hour],
    [-hour, 0, -hour],
    [10, 10, 0],
  ];
  for (const [wallMs, monotonicMs, seen] of steps) {
    clock.advance(wallMs);
    clock.pass(monotonicMs);
    assert.equal(check(), seen);
  }
});

for (const [name, ahead] of [
  ['two hours', 2 * hour],
  ['a year', year],
] as const) {
  test(`${name} forward and back: no due time is called twice, and the schedule continues`, async (t) => {
    const { start, addJob, clock, endedRuns, readJob, runsOf, logged } = await setupEngine(t);
    const sink = await startSink(t);
    const cron = await addJob({ cronExpr: '* * * * *', url: sink.url }, dueAt - minute);
    const period = await addJob(
      { scheduleType: 'period', periodSeconds: 60, url: sink.url },
      dueAt - minute,
    );
    const jobs = [cron, period];
    clock.set(dueAt);
    const engine = await start();
    const endedOf = async (count: number): Promise<void> => {
      engine.wake();
      for (const job of jobs) await endedRuns(job, count);
    };
    await endedOf(1);

    clock.set(dueAt + ahead);
    clock.advanceBoth(1_000);
    await until('the step to be noticed', () =>
      logged.some(({ msg }) => /wall clock was set/.test(msg)),
    );
    await endedOf(3);
    for (const job of jobs) {
      const [, missed, called] = await runsOf(job);
      assert.deepEqual(
        [missed?.status, missed?.scheduledFor, called?.status, called?.scheduledFor],
        ['missed', dueAt + minute, 'success', dueAt + ahead],
      );
      const count = ahead / minute - 1;
      assert.match(
        missed?.error ?? '',
        new RegExp(`^missed: ${count} due times .*clock set forward, from `),
      );
    }

    clock.set(dueAt + 90_000);
    const planned = async (job: Job): Promise<number | null> => (await readJob(job)).nextRunAt;
    for (const job of jobs) {
      await until('the due time to be right again', async () => {
        engine.wake();
        return (await planned(job)) === dueAt + 2 * minute;
      });
    }
    // One at a time: a due time already called or recorded as missed is not called again.
    for (let minutes = 2; minutes <= 4; minutes += 1) {
      clock.set(dueAt + minutes * minute);
      await endedOf(2 + minutes);
    }
    for (const job of jobs) {
      const runs = await runsOf(job);
      assert.match(
        runs[1]?.error ?? '',
        /^missed: 1 due time, 2026-03-02T10:12:00.000Z: the machine was suspended or its clock set forward, from \S+ to 2026-03-02T10:12:30.000Z$/,
      );
      assert.deepEqual(
        runs.map(({ status, scheduledFor }) => [status, (scheduledFor - dueAt) / minute]),
        [
          ['success', 0],
          ['missed', 1],
          ['success', 2],
          ['success', 3],
          ['success', 4],
          ['success', ahead / minute],
        ],
      );
    }
    assert.equal(sink.received.length, 2 * 5);
    const ids = new Set(sink.received.map(({ headers }) => headers['x-service-run-id']));
    assert.equal(ids.size, 2 * 5);
  });
}

test('a clock set back past called due times does not call them again', async (t) => {
  const { start, addJob, clock, endedRuns, readJob, logged } = await setupEngine(t);
  const sink = await startSink(t);
  clock.set(dueAt - minute);
  const job = await addJob({ cronExpr: '* * * * *', url: sink.url }, dueAt - minute);
  const engine = await start();
  for (let minutes = 0; minutes < 3; minutes += 1) {
    clock.set(dueAt + minutes * minute);
    engine.wake();
    await endedRuns(job, minutes + 1);
  }
  clock.set(dueAt - 30_000);
  await until('the step to be noticed', async () => {
    engine.wake();
    // What was called is not said to be due again.
    return (await readJob(job)).nextRunAt === dueAt + 3 * minute;
  });
  assert.equal(sink.received.length, 3, 'each once');
  clock.set(dueAt + 3 * minute);
  engine.wake();
  await endedRuns(job, 4);
  assert.equal(sink.received.length, 4);
  assert.ok(logged.some(({ level, msg }) => level === 40 && /wall clock was set/.test(msg)));
});

test('a clock step changes no timeout and no duration', async (t) => {
  const { start, addJob, clock, endedRuns } = await setupEngine(t);
  const sink = await startHeldSink(t);
  const answered = await addJob({ ...dueOnce, url: `${sink.url}/answered`, timeoutSeconds: 60 });
  const unanswered = await addJob({ ...dueOnce, url: sink.url, timeoutSeconds: 1 });
  clock.set(dueAt);
  const engine = await start();
  await until('the call', () => sink.received.some(({ path }) => path === '/answered'));
  clock.set(dueAt + year);
  engine.wake();
  const [timedOut] = await endedRuns(unanswered, 1);
  assert.match(timedOut?.error ?? '', /^timeout: /);
  assert.deepEqual([timedOut?.durationMs, timedOut?.finishedAt], [0, dueAt]);
  clock.pass(1_234);
  clock.set(dueAt - 2 * hour);
  engine.wake();
  sink.release();
  const [success] = await endedRuns(answered, 1);
  assert.equal(success?.status, 'success');
  assert.deepEqual([success?.durationMs, success?.finishedAt], [1_234, dueAt + 1_234]);
});

test('at a start, due times planned by a fast clock are recomputed', async (t) => {
  const { start, addJob, clock, readJob, endedRuns } = await setupEngine(t);
  const sink = await startSink(t);
  const ahead = dueAt + 10 * year;
  const made = [
    await addJob({ cronExpr: '* * * * *', url: sink.url }, ahead),
    await addJob({ scheduleType: 'period', periodSeconds: 60, url: sink.url }, ahead),
  ];
  const right = await addJob({ cronExpr: '0 0 1 1 *', timezone: 'UTC' }, dueAt);
  const paused = await addJob({ paused: true }, ahead);
  clock.set(dueAt + 1_000);
  const engine = await start();
  for (const job of made) {
    await until('the due time to be right', async () => {
      const { nextRunAt } = await readJob(job);
      return nextRunAt === dueAt + minute;
    });
  }
  assert.equal((await readJob(right)).nextRunAt, Date.parse('2027-01-01T00:00:00Z'));
  assert.equal((await readJob(paused)).nextRunAt, null);
  clock.set(dueAt + minute);
  engine.wake();
  for (const job of made) assert.equal((await endedRuns(job, 1))[0]?.status, 'success');
});

test('a due time that was claimed while jobs were looked for is not given back', async (t) => {
  const { addJob, readJob, store } = await setupEngine(t);
  // Due at `dueAt`, and claimed since.
  const job = await addJob({}, dueAt);
  const moments = [dueAt - 1];
  const clock = { ...fakeClock(), now: () => moments.shift() ?? dueAt + 1 };
  const { changed } = await createReplanner(store, clock).step();
  assert.deepEqual([changed, (await readJob(job)).nextRunAt], [0, dueAt + minute]);
});

test('a job that becomes due while jobs are looked for keeps that due time', async (t) => {
  const { addJob, readJob, store } = await setupEngine(t);
  const job = await addJob({}, dueAt - minute);
  const moments = [dueAt - 1];
  const clock = { ...fakeClock(), now: () => moments.shift() ?? dueAt + 1 };
  const { changed } = await createReplanner(store, clock).step();
  assert.deepEqual([changed, (await readJob(job)).nextRunAt], [0, dueAt]);
});

for (const what of ['was paused', 'lost its due time with its account', 'follows another one']) {
  test(`a job that ${what} while the clock was ahead has missed nothing that is still to come`, async (t) => {
    const { addJob, readJob, store } = await setupEngine(t);
    const notAfter = isoTime(dueAt + hour);
    const job = await addJob({ cronExpr: '* * * * *', notAfter }, dueAt - hour);
    const other = await addJob({}, dueAt - hour);
    const jobs = store.db.updateTable('jobs').where('id', '=', job.id).set({ next_run_at: null });
    await jobs.execute();
    if (what === 'was paused') await jobs.set({ paused: 1 }).execute();
    else if (what === 'follows another one')
      await jobs.set({ after_job_id: other.id, after_on: 'success' }).execute();
    else await store.db.updateTable('accounts').set({ schedules: 'off' }).execute();
    const late = missedRun(job.id, dueAt - minute);
    const missed = { ...late.missed, last: dueAt + hour, count: 62 };
    await insertScheduledRuns(store.db, [{ ...late, missed }]);
    const { changed } = await createReplanner(store, fakeClock(dueAt - 1)).step();
    assert.deepEqual([changed, (await readJob(job)).nextRunAt], [0, null]);
    const runs = store.db.selectFrom('runs').select(['last_due_at', 'missed_count']);
    assert.deepEqual(await runs.execute(), [{ last_due_at: dueAt - minute, missed_count: 1 }]);
  });
}

test('a job whose end a clock that was ahead has passed is due again', async (t) => {
  const { addJob, readJob, store } = await setupEngine(t);
  const notAfter = isoTime(dueAt + hour);
  const over = await addJob({ cronExpr: '* * * * *', notAfter }, dueAt - hour);
  const paused = await addJob({ cronExpr: '* * * * *', notAfter }, dueAt - hour);
  const called = await addJob({ cronExpr: '* * * * *', notAfter }, dueAt - hour);
  const once = await addJob({ cronExpr: null, runAt: notAfter }, dueAt - hour);
  const jobs = store.db.updateTable('jobs');
  await jobs.set({ next_run_at: null, claimed_up_to: dueAt + hour }).execute();
  await jobs.set({ paused: 1 }).where('id', '=', paused.id).execute();
  const late = missedRun(over.id, dueAt - minute);
  const missed = { ...late.missed, last: dueAt + hour, count: 62 };
  const ofPaused = { ...missedRun(paused.id, dueAt - minute), missed };
  const runs = [{ ...late, missed }, ofPaused, missedRun(once.id, dueAt + hour)];
  await insertScheduledRuns(store.db, runs);
  const replan = () => createReplanner(store, fakeClock(dueAt + 1)).step();
  const planned = async () => {
    const read = [over, paused, called, once].map(readJob);
    return (await Promise.all(read)).map(({ nextRunAt }) => nextRunAt);
  };
  assert.equal((await replan()).changed, 2);
  assert.deepEqual(await planned(), [dueAt + minute, null, null, dueAt + hour]);
  const columns = ['job_id', 'last_due_at', 'missed_count'] as const;
  const restated = await store.db.selectFrom('runs').select(columns).orderBy('id').execute();
  assert.deepEqual(
    restated.find((run) => run.job_id === over.id),
    { job_id: over.id, last_due_at: dueAt, missed_count: 2 },
  );
  const spans = store.db.selectFrom('schedule_spans').select('from_at');
  const open = spans.where('job_id', '=', over.id).where('until_at', 'is', null);
  assert.deepEqual(await open.execute(), [{ from_at: dueAt + 1 }]);
});

test('what a clock that was ahead has missed is called at its time, and was never missed', async (t) => {
  const { start, addJob, clock, endedRuns, readJob, runsOf, store, logged } = await setupEngine(t);
  const sink = await startSink(t);
  const [next, last] = [dueAt + hour, dueAt + 2 * hour];
  clock.set(dueAt);
  const bounds = { url: sink.url, notAfter: isoTime(last), timezone: 'UTC' };
  const once = await addJob({ cronExpr: null, runAt: isoTime(next), url: sink.url }, dueAt);
  const cron = await addJob({ ...dueOnce, ...bounds }, dueAt);
  const period = { scheduleType: 'period', periodSeconds: 3_600 } as const;
  const jobs = [once, cron, await addJob({ ...period, ...bounds }, dueAt)];
  // Its run by hand was called in truth, and it was not.
  const madeUp = await addJob({ cronExpr: null, runAt: isoTime(next), url: sink.url }, dueAt);
  const { wake } = await start();
  clock.set(dueAt + year);
  wake();
  for (const job of [...jobs, madeUp]) {
    const [missed] = await endedRuns(job, 1);
    assert.deepEqual([missed?.status, (await readJob(job)).nextRunAt], ['missed', null]);
  }
  await until('the step to be noticed', () =>
    logged.some(({ msg }) => /wall clock was set/.test(msg)),
  );
  const made = { ...queuedRun(madeUp.id, dueAt), dueAt: next };
  await insertQueuedRun(store.db, made, null);
  clock.set(dueAt + minute);
  for (const job of jobs) {
    await until('the job to be due again', async () => {
      wake();
      return (await readJob(job)).nextRunAt === next;
    });
    assert.deepEqual(await runsOf(job), []);
  }
  const totals = store.db.selectFrom('jobs').select('total_missed');
  assert.deepEqual(new Set((await totals.execute()).map((row) => row.total_missed)), new Set([0]));
  for (const at of [next, last]) {
    clock.set(at);
    wake();
    for (const job of jobs) await endedRuns(job, job === once || at === next ? 1 : 2);
  }
  const times = async (job: Job) =>
    (await runsOf(job)).map(({ status, source, ...of }) => [status, source, of.scheduledFor]);
  const called = [next, last].map((at) => ['success', 'scheduled', at]);
  for (const job of jobs) {
    assert.deepEqual(await times(job), job === once ? called.slice(0, 1) : called);
  }
  const [only, ...more] = await endedRuns(madeUp, 1);
  assert.deepEqual([only?.id, more], [made.id, []]);
  assert.deepEqual(wrongIn(await ledgersIn(store.db, clock)), []);
});

test('what a clock that was behind has planned is not missed where there was no job, or its runs are removed', async (t) => {
  const { start, addJob, clock, endedRuns, readJob, store } = await setupEngine(t);
  const sink = await startSink(t);
  clock.set(dueAt - 1_000);
  const minutely = { cronExpr: '* * * * *', url: sink.url };
  const job = await addJob(minutely, dueAt - 1_000);
  const old = await addJob(minutely, dueAt - 1_000);
  const ofOld = store.db.updateTable('jobs').where('id', '=', old.id);
  await ofOld.set({ history_from: dueAt + hour }).execute();
  clock.set(dueAt - year);
  const { wake } = await start();
  for (const one of [job, old]) {
    await until('the job to be planned by that clock', async () => {
      const { nextRunAt } = await readJob(one);
      return nextRunAt !== null && nextRunAt < dueAt - year + hour;
    });
  }
  const now = dueAt + 3 * hour;
  clock.set(now + 500);
  wake();
  for (const [one, first] of [[job, dueAt] as const, [old, dueAt + hour + minute] as const]) {
    const [missed, called] = await endedRuns(one, 2);
    assert.deepEqual([missed?.status, missed?.scheduledFor], ['missed', first]);
    assert.deepEqual([called?.status, called?.scheduledFor], ['success', now]);
  }
  const counts = await store.db
    .selectFrom('runs')
    .select('missed_count')
    .orderBy('scheduled_for')
    .execute();
  assert.deepEqual(
    counts.flatMap(({ missed_count: count }) => count ?? []),
    [180, 119],
  );
  assert.deepEqual(wrongIn(await ledgersIn(store.db, clock)), []);
});

test('a clock that is behind takes nothing back that was missed', async (t) => {
  const { addJob, runsOf, store } = await setupEngine(t);
  const job = await addJob({ cronExpr: '* * * * *' }, dueAt);
  await insertScheduledRuns(store.db, [missedRun(job.id, dueAt)]);
  const found = { jobs: 1, called: 0, missed: 1, explained: 0, unaccounted: 0, unexpected: 0 };
  for (let days = 1; days <= 7; days += 1) {
    const checkedAt = dueAt + days * day;
    await keepLedgerCheck(store.db, { ...found, checkedAt, after: checkedAt - day, example: null });
  }
  const before = await runsOf(job);
  const replanned = await createReplanner(store, fakeClock(dueAt - year)).step();
  assert.equal(replanned.changed, 1);
  assert.deepEqual(await runsOf(job), before);
});

test('many jobs are rescheduled in steps, and a restart begins with the first', async (t) => {
  const { addJob, readJob, store } = await setupEngine(t);
  const ahead = dueAt + year;
  const jobs: Job[] = [];
  for (let count = 0; count < 1_200; count += 1) jobs.push(await addJob({}, ahead));
  const clock = fakeClock(dueAt);
  const replanner = createReplanner(store, clock);
  const changed: number[] = [];
  const toTheEnd = async (): Promise<void> => {
    for (let step = 0; step < 10; step += 1) {
      const { restMs, changed: some } = await replanner.step();
      if (restMs === Infinity) return;
      changed.push(some);
    }
    assert.fail('it does not end');
  };
  await toTheEnd();
  assert.deepEqual(changed.splice(0), [500, 500, 200]);
  for (const job of [jobs[0]!, jobs[600]!, jobs.at(-1)!]) {
    assert.equal((await readJob(job)).nextRunAt, dueAt + minute);
  }
  clock.set(dueAt - hour);
  replanner.restart();
  await replanner.step();
  replanner.restart();
  await toTheEnd();
  assert.deepEqual(changed, [0, 500, 200], 'the first were planned before');
});
