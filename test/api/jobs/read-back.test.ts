/** Sending the answer of a GET back as an update changes nothing. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '../../support/fast-check.ts';
import { jobShape } from '../../../src/api/jobs/shape.ts';
import { monitorShape } from '../../../src/api/monitors/shape.ts';
import { changeJob, defineJob } from '../../../src/domain/jobs/job-input.ts';
import type { JobInput, JobUpdate } from '../../../src/domain/jobs/job-input.ts';
import { methods } from '../../../src/domain/jobs/fields.ts';
import { changeMonitor, defineMonitor } from '../../../src/domain/monitors/monitor-input.ts';
import { monitorAfter } from '../../../src/domain/monitors/monitor.ts';
import { assertRefused } from '../../support/checks/answer.ts';
import { startClockedDaemon } from '../../support/running/daemon.ts';
import { monitorsOf, ping } from '../../support/records/monitor.ts';
import { startSink } from '../../support/fakes/sink.ts';
import { until } from '../../support/until.ts';

const created = Date.parse('2026-03-02T10:00:12.340Z');

const cronExpr = fc.constantFrom(
  '0 0 1 1 *',
  '*/7 * * * *',
  '@daily',
  '30 2 29 2 *',
  '0 9 * * mon#1',
);
const timezone = fc.constantFrom('Europe/Paris', 'asia/kolkata', 'UTC', 'America/New_York');
const period = {
  scheduleType: fc.constant('period' as const),
  periodSeconds: fc.integer({ min: 60, max: 31_536_000 }),
};
/** Every kind of schedule, and null for the unused fields. */
const schedule = fc.oneof(
  fc.record({
    cronExpr: fc.option(cronExpr),
    timezone: fc.option(timezone),
    periodSeconds: fc.constant(null),
  }),
  fc.record({ ...period, cronExpr: fc.constant(null), timezone }),
);
/** After a change a job may keep fields that its new schedule does not use. */
const switched = fc.option(
  fc.oneof(fc.record(period), fc.record({ scheduleType: fc.constant('cron' as const), cronExpr })),
);

const seconds = fc.option(fc.constantFrom(60, 3_600));
/** Fields that have an effect beside each other; some `runAt` pass before the job is sent back. */
const adjusted = fc.oneof(
  fc.record({ makeUpSeconds: seconds, spreadSeconds: fc.option(fc.constantFrom(1, 60)) }),
  fc.record({
    runAt: fc.constantFrom('2026-03-02T13:00:00Z', '2027-03-02T10:00:00+01:00'),
    makeUpSeconds: seconds,
    deleteAfterSeconds: seconds,
  }),
  fc.record({
    notBefore: fc.option(fc.constantFrom('2026-03-02T13:00:00Z', '2027-03-02 10:00')),
    notAfter: fc.constantFrom('2050-03-02T10:00:00Z', '2050-03-02 10:00'),
    spreadSeconds: fc.option(fc.constantFrom(1, 60)),
    deleteAfterSeconds: seconds,
  }),
);
const labels = fc.constantFrom(null, {}, { client: 'acme', no: '1.10' });

const headers = fc.constantFrom({}, { 'X-A': 's', accept: '*/*' }, { 'X-B': '', 'X-A': '2' });
const call = fc.oneof(
  fc.record({ method: fc.constantFrom(...methods), headers }),
  fc.record({ method: fc.constant('POST' as const), headers, body: fc.option(fc.string()) }),
);
const settings = fc.record({
  name: fc.string({ minLength: 1 }).filter((name) => name.trim() !== ''),
  notes: fc.string(),
  paused: fc.boolean(),
});

/** The value as it is after a round trip through JSON. */
function sent<T>(document: T): T {
  return JSON.parse(JSON.stringify(document));
}

test('a job sent back as it was read is unchanged, due times included', () => {
  const context = { now: created, allowTargets: [] };
  const identity = { id: 'the-id', workspaceId: 'the-workspace' };
  const anyJob = fc.record({
    input: fc.tuple(
      settings,
      schedule,
      call,
      fc.record({ retries: fc.nat(2), timeoutSeconds: fc.integer({ min: 1, max: 60 }), labels }),
      adjusted,
    ),
    later: switched,
    state: fc.record({
      health: fc.constantFrom('new' as const, 'up' as const, 'down' as const),
      activeRunId: fc.option(fc.constant('a-run')),
    }),
    waitMs: fc.nat(100_000_000),
  });
  fc.assert(
    fc.property(anyJob, ({ input, later, state, waitMs }) => {
      const url = 'https://example.com/a?b=c';
      const given = Object.assign({ url }, ...input) as JobInput;
      const first = defineJob(given, { ...context, ...identity });
      const job = { ...changeJob(first, { ...later }, context), ...state };
      const now = created + waitMs;
      const back: JobUpdate = sent(jobShape(job));
      assert.deepEqual(changeJob(job, back, { now, allowTargets: [] }), job);
      // Fields that change by themselves may be older than the update.
      const stale = {
        status: job.paused ? ('paused' as const) : ('running' as const),
        nextRunAt: '2020-01-01T00:00:00Z',
        lastRunAt: null,
        downReason: 'http: 500',
      };
      assert.deepEqual(changeJob(job, { ...back, ...stale }, { now, allowTargets: [] }), job);
    }),
    { numRuns: 500 },
  );
});

test('a monitor sent back as it was read is unchanged, due times included', () => {
  const identity = { id: 'the-id', workspaceId: 'the-workspace', pingId: 'the-ping-id' };
  const anyMonitor = fc.record({
    input: fc.tuple(settings, schedule, fc.record({ graceSeconds: fc.nat(86_400) })),
    later: switched,
    pings: fc.array(fc.constantFrom('start' as const, 'success' as const, 'fail' as const), {
      maxLength: 3,
    }),
    permission: fc.constantFrom('read' as const, 'write' as const),
    waitMs: fc.nat(100_000_000),
  });
  fc.assert(
    fc.property(anyMonitor, ({ input, later, pings, permission, waitMs }) => {
      const first = defineMonitor(Object.assign({}, ...input), { ...identity, now: created });
      const monitor = pings.reduce(
        (before, kind, index) =>
          monitorAfter(before, { type: 'ping', kind, at: created + index * 60_000 }),
        changeMonitor(first, { ...later }, created),
      );
      const now = created + waitMs;
      const shown = monitorShape(monitor, { siteUrl: 'https://jobs.example.com', permission, now });
      assert.deepEqual(changeMonitor(monitor, sent(shown), now + 60_000), monitor);
    }),
    { numRuns: 500 },
  );
});

test('the API accepts every kind of job unchanged and names read-only fields', async (t) => {
  const { clock, ask } = await startClockedDaemon(t);
  const sink = await startSink(t, (response) => response.writeHead(500).end());
  const everyFive = { scheduleType: 'period', periodSeconds: 300 };
  const inputs: object[] = [
    {},
    { cronExpr: '0 0 1 1 *', timezone: 'Asia/Tokyo', notes: 'n' },
    everyFive,
    { ...everyFive, timezone: 'Asia/Tokyo', paused: true },
    { runAt: '2027-01-01T00:00:00Z', labels: { client: 'acme' } },
    {
      ...everyFive,
      notBefore: '2027-01-01 09:00',
      notAfter: '2028-01-01 09:00',
      deleteAfterSeconds: 60,
    },
    { spreadSeconds: 60, makeUpSeconds: 3_600 },
    { method: 'POST', headers: { 'X-B': 's3cret', 'X-A': 's3cret' }, body: 'b', paused: true },
  ];
  for (const input of inputs) {
    const { body: made } = await ask('POST', '/jobs', { name: 'a', url: sink.url, ...input });
    const path = `/jobs/${made.job.id}`;
    await ask('POST', `${path}/run`);
    const job = await until('the run', async () => {
      const { job: read } = (await ask('GET', path)).body;
      return read.lastDurationMs !== null && read;
    });
    clock.advanceBoth(61_000);
    const back = await ask('PATCH', path, job);
    assert.deepEqual([back.status, back.body], [200, { job }]);
    const other = job.scheduleType === 'cron' ? everyFive : { scheduleType: 'cron' };
    const after = (await ask('PATCH', path, { ...job, ...other, name: 'b' })).body.job;
    assert.deepEqual([after.name, after.scheduleType], ['b', other.scheduleType]);
    assert.deepEqual((await ask('PATCH', path, after)).body, { job: after });
    const wrapped = await ask('PATCH', path, { job: after });
    assertRefused(wrapped, 400, /^job is not a known field: send what is inside job$/, 'wrapped');
    const withHeaders = { ...after, headers: { 'X-New': '1' } };
    const changed = (await ask('PATCH', path, withHeaders)).body.job;
    assert.deepEqual(changed, { ...after, headerNames: ['X-New'] });
    const paused = { ...changed, paused: !after.paused };
    assertRefused(await ask('PATCH', path, paused), 400, /^paused cannot be set, it is/, 'paused');
  }
});

test('the API accepts every kind of monitor unchanged and names read-only fields', async (t) => {
  const { daemon, clock, ask } = await startClockedDaemon(t);
  const { createMonitor, readMonitor } = monitorsOf(daemon);
  const readKey = await daemon.newKey('read');
  for (const input of [
    { cronExpr: '0 0 1 1 *' },
    { scheduleType: 'period', periodSeconds: 300 },
    { paused: true },
  ]) {
    const { id, pingUrl } = await createMonitor(input);
    for (const signal of ['', '/fail']) {
      await ping(pingUrl + signal);
      const monitor = await readMonitor(id);
      clock.advanceBoth(30_000);
      const back = await ask('PATCH', `/monitors/${id}`, monitor);
      assert.deepEqual([back.status, back.body], [200, { monitor }]);
      const seen = (await ask('GET', `/monitors/${id}`, undefined, readKey)).body.monitor;
      assert.equal((await ask('PATCH', `/monitors/${id}`, seen)).status, 200);
    }
    const wrapped = await ask('PATCH', `/monitors/${id}`, { monitor: await readMonitor(id) });
    assertRefused(wrapped, 400, /^monitor is not a known .*: send what is inside monitor$/, 'w');
    const elsewhere = { pingUrl: pingUrl.replace(/.$/, 'x') };
    assertRefused(
      await ask('PATCH', `/monitors/${id}`, elsewhere),
      400,
      /^pingUrl cannot be set/,
      '',
    );
  }
});
