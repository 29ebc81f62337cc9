/** Due times that passed without a call (docs/behavior.md#run-5). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errorOf } from '../../../src/domain/runs/reason.ts';
import { alone } from '../../../src/engine/nodes/membership.ts';
import { claimDueJobs, type FreeSlots } from '../../../src/engine/runs/due.ts';
import { each } from '../../support/each.ts';
import { steadyClock } from '../../support/fakes/clock.ts';
import { dueAt, dueOnce, setupEngine } from '../../support/running/engine.ts';
import { startHeldSink } from '../../support/fakes/held-sink.ts';
import { startSink } from '../../support/fakes/sink.ts';
import { until } from '../../support/until.ts';

const minute = 60_000;
const hour = 60 * minute;

test('a job is called up to 60 s late, and missed if it is later', async (t) => {
  const { start, addJob, clock, endedRuns, readJob, logged } = await setupEngine(t);
  const sink = await startSink(t);
  const job = await addJob({ ...dueOnce, url: sink.url });
  const engine = await start();
  clock.set(dueAt + minute);
  engine.wake();
  await endedRuns(job, 1);
  const entry = await until('that it is logged', () =>
    logged.find(({ msg }) => msg === 'run ended'),
  );
  assert.deepEqual([entry.level, entry.latenessMs], [30, minute]);
  clock.set(dueAt + hour + minute + 1);
  engine.wake();
  const [called, missed, ...more] = await endedRuns(job, 2);
  assert.deepEqual(more, []);
  assert.equal(called?.status, 'success');
  assert.equal(called?.scheduledFor, dueAt);
  assert.equal(called?.startedAt, dueAt + minute);
  assert.deepEqual(missed, {
    id: missed?.id,
    jobId: job.id,
    source: 'scheduled',
    status: 'missed',
    scheduledFor: dueAt + hour,
    startedAt: null,
    finishedAt: null,
    attempts: 0,
    httpStatus: null,
    durationMs: null,
    responseBody: null,
    truncated: false,
    error:
      'missed: 1 due time, 2026-03-02T11:11:00.000Z: the machine was suspended or its clock set forward, from 2026-03-02T10:12:00.000Z to 2026-03-02T11:12:00.001Z',
  });
  assert.equal(sink.received.length, 1);
  const line = logged.find(({ msg }) => msg === 'run missed');
  const names = { level: 40, job: job.name, jobId: job.id, runId: missed.id, status: 'missed' };
  const when = { dueAt: '2026-03-02T11:11:00.000Z', error: missed.error };
  assert.deepEqual({ ...line }, { ...line, ...names, ...when });
  const { nextRunAt, health, lastRunAt, activeRunId } = await readJob(job);
  assert.deepEqual(
    { nextRunAt, health, lastRunAt, activeRunId },
    { nextRunAt: dueAt + 2 * hour, health: 'up', lastRunAt: dueAt + minute, activeRunId: null },
  );

  clock.set(dueAt + 2 * hour);
  engine.wake();
  const runs = await endedRuns(job, 3);
  assert.equal(runs[2]?.status, 'success', 'the next due time is called as ever');
});

test('an outage of hours is one missed run; a job due at its end is called once', async (t) => {
  const { start, addJob, clock, endedRuns, readJob } = await setupEngine(t);
  const sink = await startSink(t);
  const job = await addJob({ cronExpr: '* * * * *', url: sink.url });
  clock.set('2026-03-02T13:00:30Z');
  await start();
  const [missed, called, ...more] = await endedRuns(job, 2);
  assert.deepEqual(more, []);
  assert.equal(missed?.status, 'missed');
  assert.equal(missed?.scheduledFor, Date.parse('2026-03-02T10:01:00Z'));
  assert.match(
    missed?.error ?? '',
    /^missed: 179 due times from 2026-03-02T10:01:00\.000Z to 2026-03-02T12:59:00\.000Z: jobd was not/,
  );
  assert.equal(called?.status, 'success');
  assert.equal(called?.scheduledFor, Date.parse('2026-03-02T13:00:00Z'));
  assert.equal(sink.received.length, 1);
  assert.equal((await readJob(job)).nextRunAt, Date.parse('2026-03-02T13:01:00Z'));
});

test('what was missed before jobd stopped is not said to be missed while it was not running', async (t) => {
  const { start, addJob, clock, endedRuns } = await setupEngine(t);
  const sink = await startSink(t);
  const job = await addJob({ cronExpr: '* * * * *', url: sink.url }, dueAt - 1);
  const stoppedAt = dueAt + 5 * minute;
  clock.set(stoppedAt + 10.5 * minute);
  await start({ membership: alone(clock, stoppedAt) });
  const [ran, away] = await endedRuns(job, 3);
  assert.match(ran?.error ?? '', /^missed: 4 due times .*: jobd could not start it within a /);
  assert.equal(away?.scheduledFor, stoppedAt - minute);
  const times = 'from 2026-03-02T10:16:00.000Z to 2026-03-02T10:26:30.000Z';
  assert.match(away.error ?? '', new RegExp(`^missed: 11 due .*: jobd was not running ${times}$`));
  assert.equal(sink.received.length, 1, 'the last one is called');
});

test('of nodes it is said that none served: one may have run without its database', async (t) => {
  const { store, addJob, clock } = await setupEngine(t);
  await addJob(dueOnce);
  clock.set(dueAt + hour - minute);
  const [now, from] = [clock.now(), dueAt - minute];
  const slots: FreeSlots = {
    bounds: () => ({ limit: 10, exceptHosts: [], exceptJobs: [], dueAfter: undefined }),
    take: () => true,
  };
  const known = [{ reason: 'not_running', from, until: now }] as const;
  for (const hindrances of [known, []]) {
    const moment = { now, servingSince: now, nodeId: 'n1', hindrances };
    const back = new Error('to be tried again');
    let error: string | null = null;
    const claim = store.write(async (tx) => {
      error = (await claimDueJobs(tx, slots, moment)).missed.map((run) => errorOf(run)).join();
      throw back;
    });
    await assert.rejects(claim, back);
    const times = ' from 2026-03-02T10:10:00.000Z to 2026-03-02T11:10:00.000Z';
    const clause = 'no jobd served, as none ran or none reached the database,';
    const about = 'missed: 1 due time, 2026-03-02T10:11:00.000Z: ';
    assert.equal(error, `${about}${clause}${hindrances.length === 0 ? '' : times}`);
  }
});

test('every job has its own missed run, for any number of jobs', async (t) => {
  const { start, addJob, clock, endedRuns } = await setupEngine(t);
  const jobs = await Promise.all(Array.from({ length: 60 }, () => addJob(dueOnce)));
  clock.set(dueAt + 10 * minute);
  await start({ slots: 7, slotsPerHost: 3 });
  for (const job of jobs) {
    const runs = await endedRuns(job, 1);
    assert.deepEqual(each(runs, 'status'), ['missed']);
  }
});

test('the reason says if due times were missed because the job was still running', async (t) => {
  const { start, addJob, clock, endedRuns } = await setupEngine(t);
  const sink = await startHeldSink(t);
  const job = await addJob({ cronExpr: '* * * * *', url: sink.url }, dueAt - minute);
  clock.set(dueAt);
  let looks = 0;
  const mayBegin = (): boolean => (looks += 1) > 0;
  await start({ clock: steadyClock(clock), membership: { ...alone(clock), mayBegin } });
  await sink.waitFor(1);
  // A jobd that did not look in between would have stood still.
  while (clock.now() < dueAt + 3.5 * minute) {
    const before = looks;
    clock.advance(5_000);
    await until('a look', () => looks > before);
  }
  sink.release();
  await sink.waitFor(1);
  sink.release();
  const runs = await endedRuns(job, 3);
  assert.deepEqual(each(runs, 'status', 'scheduledFor'), [
    ['success', dueAt],
    ['missed', dueAt + minute],
    ['success', dueAt + 3 * minute],
  ]);
  assert.match(runs[1]?.error ?? '', /2 due times .*: the previous run was still executing$/);
});

test('a manual run after an outage is not given as the reason of missed due times', async (t) => {
  const { start, addJob, clock, ask, endedRuns } = await setupEngine(t);
  const sink = await startHeldSink(t);
  const job = await addJob({ ...dueOnce, url: sink.url });
  clock.set(dueAt + 10 * minute);
  await ask(job);
  await start({ clock: steadyClock(clock) });
  await sink.waitFor(1);
  clock.advance(minute);
  sink.release();
  const [missed] = await endedRuns(job, 2);
  assert.match(missed?.error ?? '', /^missed: 1 due time, .*: jobd was not running/);
});
