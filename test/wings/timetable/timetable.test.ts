/** The timetable over HTTP (docs/behavior.md#the-timetable). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertRefused } from '../../support/checks/answer.ts';
import { fakeClock } from '../../support/fakes/clock.ts';
import { startSink } from '../../support/fakes/sink.ts';
import { keepHistory } from '../../support/checks/history.ts';
import { addAccount } from '../../support/records/account.ts';
import { startClockedDaemon, startTestDaemon } from '../../support/running/daemon.ts';
import { openTestLocal } from '../../support/running/local.ts';
import { until } from '../../support/until.ts';

const hour = 3_600_000;
const day = 24 * hour;
const nowhere = 'http://127.0.0.1:1/';
const iso = (at: number) => new Date(at).toISOString();

test('jobs have what ran and what is due, by name', async (t) => {
  const { clock, ask, newKey } = await startClockedDaemon(t, '2026-10-24T12:00:00Z');
  const sink = await startSink(t);
  const zone = { timezone: 'Europe/Paris' };
  const make = async (input: object): Promise<string> => {
    const { status, body } = await ask('POST', '/jobs', { url: sink.url, ...zone, ...input });
    assert.equal(status, 201, body.error);
    return body.job.id;
  };
  const nightly = await make({ name: 'nightly', cronExpr: '30 2 * * *', notes: 'canary' });
  const often = await make({ name: 'often', cronExpr: '*/5 * * * *', timezone: 'UTC' });
  await make({ name: 'asleep', cronExpr: '0 3 * * *', paused: true });
  await make({ name: 'after', after: { jobId: nightly } });
  clock.advance(5 * 60_000);
  await until('a run', async () => {
    const { runs } = (await ask('GET', `/jobs/${often}/runs`)).body;
    return runs[0]?.status === 'success';
  });
  const { status, body } = await ask('GET', '/overview/timetable', undefined, await newKey('read'));
  assert.equal(status, 200, body.error);
  assert.deepEqual(
    body.jobs.map(({ name, due }: { name: string; due: object[] }) => [name, due]),
    [
      ['after', []],
      ['asleep', []],
      ['nightly', [{ at: '2026-10-25T00:30:00.000Z' }]],
      [
        'often',
        [{ at: '2026-10-24T12:10:00.000Z', until: '2026-10-25T12:00:00.000Z', count: 287 }],
      ],
    ],
  );
  const [after, , , row] = body.jobs;
  assert.deepEqual(after.after, { jobId: nightly, on: 'success' });
  assert.equal(row.runs.length, 1);
  assert.deepEqual([row.runs[0].at, row.runs[0].status], ['2026-10-24T12:05:00.000Z', 'success']);
  assert.deepEqual([body.nextCursor, body.isPartial, row.runsFrom], [null, false, null]);
  assert.deepEqual(body.clockChanges, [
    { at: '2026-10-25T01:00:00.000Z', timezone: 'Europe/Paris', minutes: -60 },
  ]);
  const { from, counts, isPartial } = body.density;
  assert.deepEqual([from, counts.length, isPartial], ['2026-10-24T12:05:00.000Z', 1_440, false]);
  assert.equal(
    counts.reduce((sum: number, count: number) => sum + count, 0),
    288,
  );
  assert.ok(!JSON.stringify(body).includes('canary'));
});

test('what is due is what the previews of the jobs say', async (t) => {
  const { clock, ask } = await startClockedDaemon(t, '2026-03-27T20:07:00Z');
  const schedules = [
    { cronExpr: '30 2 * * *', timezone: 'Europe/Paris' },
    { cronExpr: '0 */3 * * *', timezone: 'Asia/Kolkata', spreadSeconds: 1_800 },
    { cronExpr: '20,40 1-3 * * *', timezone: 'Europe/Paris', notAfter: '2026-03-29T02:00:00Z' },
    { scheduleType: 'period', periodSeconds: 7_200 },
    { runAt: '2026-03-28T09:15:30Z' },
  ];
  for (const [index, schedule] of schedules.entries()) {
    const made = await ask('POST', '/jobs', { name: `job ${index}`, url: nowhere, ...schedule });
    assert.equal(made.status, 201, made.body.error);
  }
  const to = clock.now() + 40 * hour;
  const asked = `?from=${iso(clock.now() - hour)}&to=${iso(to)}`;
  const { jobs } = (await ask('GET', `/overview/timetable${asked}`)).body;
  assert.equal(jobs.length, schedules.length);
  for (const { id, name, due } of jobs) {
    const { next } = (await ask('GET', `/jobs/${id}/due-times?count=20`)).body;
    const within = next.filter((at: string) => Date.parse(at) < to);
    assert.deepEqual(
      due.map(({ at }: { at: string }) => at),
      within,
      name,
    );
  }
  const later = `?from=${iso(to - 20 * hour)}&to=${iso(to)}`;
  const part = (await ask('GET', `/overview/timetable${later}`)).body.jobs;
  for (const [index, { due }] of part.entries()) {
    const all: { at: string }[] = jobs[index].due;
    assert.deepEqual(
      due,
      all.filter(({ at }) => Date.parse(at) >= to - 20 * hour),
    );
  }
});

test('a page ends at its limit, and a text finds jobs by name and URL', async (t) => {
  const { ask } = await startTestDaemon(t, { clock: fakeClock('2026-03-02T10:00:00Z') });
  for (const name of ['a', 'b', 'c']) {
    await ask('POST', '/jobs', {
      name,
      url: `http://127.0.0.1:1/of-${name}`,
      cronExpr: '0 3 * * *',
    });
  }
  const names = ({ body }: Awaited<ReturnType<typeof ask>>) =>
    body.jobs.map(({ name }: { name: string }) => name);
  const first = await ask('GET', '/overview/timetable?limit=2');
  assert.deepEqual(names(first), ['a', 'b']);
  const cursor = encodeURIComponent(first.body.nextCursor);
  assert.deepEqual(names(await ask('GET', `/overview/timetable?limit=2&cursor=${cursor}`)), ['c']);
  const found = await ask('GET', '/overview/timetable?q=OF-B');
  assert.deepEqual(names(found), ['b']);
  const counted = found.body.density.counts as number[];
  assert.equal(
    counted.reduce((sum, count) => sum + count, 0),
    3,
    'the density is that of all jobs',
  );
});

/** Requests that a key has left. */
const left = ({ headers }: { headers: Headers }): number =>
  Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);

test('a page with too many entries ends early, and counts as several requests', async (t) => {
  const { clock, ask, dataDir } = await startClockedDaemon(t, '2026-03-02T10:00:00Z');
  await using local = await openTestLocal(dataDir, clock);
  const begin = clock.now() - 23 * hour;
  for (const [name, count] of Object.entries({ a: 5_000, b: 1_000 })) {
    const job = { name, url: nowhere, cronExpr: '0 3 1 1 *', paused: true };
    const { id } = (await ask('POST', '/jobs', job)).body.job;
    const runs = Array.from({ length: count }, (_, index) => {
      const status = index % 2 === 0 ? 'interrupted' : 'missed';
      return { status, at: begin + index * 10_000 } as const;
    });
    await keepHistory(local.store, id, runs);
  }
  const before = await ask('GET', '/jobs');
  const first = await ask('GET', '/overview/timetable');
  assert.equal(left(before) - left(first), 2, '5,200 runs');
  assert.equal(first.body.isPartial, true);
  const [row, ...others] = first.body.jobs;
  assert.deepEqual([row.name, row.runs.length, others], ['a', 4_200, []]);
  assert.equal(Date.parse(row.runsFrom), begin + 1_000 * 10_000);
  const cursor = encodeURIComponent(first.body.nextCursor);
  const { body } = await ask('GET', `/overview/timetable?cursor=${cursor}`);
  assert.deepEqual([body.isPartial, body.nextCursor, body.jobs.length], [false, null, 1]);
  assert.deepEqual([body.jobs[0].name, body.jobs[0].runs.length], ['b', 1_000]);
});

test('the density is counted once a minute, and has no jobs of others', async (t) => {
  const { daemon, clock, ask } = await startClockedDaemon(t, '2026-03-02T10:00:30Z');
  const other = await addAccount(daemon, clock, 'pro');
  const nightly = { url: 'http://127.0.0.1:1/', cronExpr: '0 3 * * *', timezone: 'UTC' };
  for (let number = 0; number < 11; number += 1) {
    await ask('POST', '/jobs', { name: `n${number}`, ...nightly });
  }
  const busiest = async () => (await ask('GET', '/overview/timetable')).body.density.busiest;
  const [first] = await busiest();
  assert.deepEqual(
    [first.at, first.count, first.hosts],
    ['2026-03-03T03:00:00.000Z', 11, [{ host: '127.0.0.1', count: 11 }]],
  );
  assert.ok(first.spread.most < 11);
  await ask('POST', '/jobs', { name: 'n11', ...nightly });
  assert.equal((await busiest())[0].count, 11);
  clock.advanceBoth(60_001);
  assert.equal((await busiest())[0].count, 12);
  const theirs = (await other.ask('GET', '/overview/timetable')).body;
  assert.deepEqual([theirs.jobs, theirs.density.busiest], [[], []]);
});

test('a period is at most 7 days long, and may be in the past or far away', async (t) => {
  const { clock, ask } = await startClockedDaemon(t, '2026-03-02T10:00:00Z');
  await ask('POST', '/jobs', { name: 'a', url: nowhere, cronExpr: '0 3 * * *', timezone: 'UTC' });
  const asked = (from: number, to: number) =>
    ask('GET', `/overview/timetable?from=${iso(from)}&to=${iso(to)}`);
  const now = clock.now();
  assertRefused(await asked(now, now), 400, /^to must be after from, by 7 days at most, got /);
  assertRefused(
    await asked(now, now + 7 * day + 1),
    400,
    /^to must be after from, by 7 days at most/,
  );
  assertRefused(await ask('GET', '/overview/timetable?from=soon'), 400, /^from must be /);
  const past = (await asked(now - 14 * day, now - 7 * day)).body;
  assert.deepEqual([past.jobs[0].due, past.density.counts], [[], []]);
  const far = (await asked(now + 700 * day, now + 702 * day)).body;
  assert.equal(far.jobs[0].due.length, 2);
  assert.deepEqual(
    [far.density.counts, far.density.isPartial],
    [[], true],
    'no minute of it is counted',
  );
});
