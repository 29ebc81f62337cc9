/** Promises about jobs, runs and envelopes in responses (docs/behavior.md#the-api). */

import assert from 'node:assert/strict';
import { fakeClock } from '../../support/fakes/clock.ts';
import { startForCustomer } from '../../support/records/customer.ts';
import type { Customer, Promised } from '../../support/records/customer.ts';
import { startSink } from '../../support/fakes/sink.ts';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const dateTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

type Shape = Record<string, (value: unknown) => boolean>;

const isText = (value: unknown): boolean => typeof value === 'string';
const isWhole = (value: unknown): boolean => Number.isInteger(value);
const isBoolean = (value: unknown): boolean => typeof value === 'boolean';
const isUuid = (value: unknown): boolean => uuid.test(String(value));
const isTime = (value: unknown): boolean => dateTime.test(String(value));
const oneOf =
  (...values: string[]) =>
  (value: unknown) =>
    values.includes(String(value));
const orNull = (is: (value: unknown) => boolean) => (value: unknown) => value === null || is(value);

const jobShape: Shape = {
  id: isUuid,
  name: isText,
  url: isText,
  method: oneOf('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'),
  body: orNull(isText),
  scheduleType: oneOf('cron', 'period'),
  cronExpr: orNull(isText),
  timezone: isText,
  periodSeconds: orNull(isWhole),
  timeoutSeconds: isWhole,
  retries: isWhole,
  notes: isText,
  paused: isBoolean,
  headerNames: (value) => Array.isArray(value) && value.every(isText),
  status: oneOf('new', 'up', 'down', 'paused', 'running'),
  nextRunAt: orNull(isTime),
  lastRunAt: orNull(isTime),
  lastDurationMs: orNull(isWhole),
  downReason: orNull(isText),
  createdAt: isTime,
};

const runShape: Shape = {
  id: isUuid,
  jobId: isUuid,
  source: oneOf('scheduled', 'manual'),
  status: oneOf('queued', 'running', 'success', 'failed', 'interrupted', 'missed'),
  scheduledFor: isTime,
  startedAt: orNull(isTime),
  finishedAt: orNull(isTime),
  attempts: isWhole,
  httpStatus: orNull(isWhole),
  durationMs: orNull(isWhole),
  responseBody: orNull(isText),
  truncated: isBoolean,
  error: orNull(isText),
};

function assertShape(value: object, shape: Shape): void {
  assert.deepEqual(Object.keys(value).toSorted(), Object.keys(shape).toSorted());
  for (const [field, shown] of Object.entries(value)) {
    assert.ok(shape[field]?.(shown), `${field} is ${JSON.stringify(shown)}`);
  }
}

/** Every response that may show data of a job that ran, as text. */
async function everythingShown({ call, run }: Customer, jobId: string): Promise<string> {
  const ended = await run(jobId);
  const paths = [
    '/jobs',
    `/jobs/${jobId}`,
    `/jobs/${jobId}/runs`,
    `/jobs/${jobId}/runs/${ended.id}`,
  ];
  const bodies = await Promise.all(paths.map(async (path) => (await call('GET', path)).body));
  bodies.push((await call('PATCH', `/jobs/${jobId}`, { body: { notes: 'n' } })).body);
  return JSON.stringify(bodies);
}

export const answerPromises: readonly Promised[] = [
  {
    section: 'jobs',
    promise: 'a job has exactly the documented fields, before and after a run',
    async check({ createJob, run, readJob }, t) {
      const { url } = await startSink(t);
      const job = await createJob({ url, headers: { 'X-A': '1' } });
      assertShape(job, jobShape);
      assert.deepEqual([job.status, job.lastRunAt, job.lastDurationMs], ['new', null, null]);
      await run(job.id);
      const after = await readJob(job.id);
      assertShape(after, jobShape);
      assert.equal(after.status, 'up');
      assert.ok(after.lastRunAt !== null && after.lastDurationMs !== null);
    },
  },
  {
    section: 'jobs',
    promise: 'header values are never shown, header names are',
    async check(customer, t) {
      const { url, received } = await startSink(t);
      const headers = { Authorization: 'Bearer hunter2' };
      const job = await customer.createJob({ url, headers });
      assert.deepEqual(job.headerNames, ['Authorization']);
      const shown = JSON.stringify(job) + (await everythingShown(customer, job.id));
      assert.equal(received[0]?.headers.authorization, 'Bearer hunter2');
      assert.doesNotMatch(shown, /hunter2/);
    },
  },
  {
    section: 'jobs',
    promise: 'nextRunAt is the next time the schedule is due',
    async check({ createJob }) {
      const job = await createJob({ cronExpr: '30 12 * * *', timezone: 'UTC' });
      const next = Date.parse(job.nextRunAt ?? '');
      assert.match(job.nextRunAt ?? '', /T12:30:00\.000Z$/);
      const ahead = next - Date.parse(job.createdAt);
      assert.ok(ahead > 0 && ahead <= 86_400_000, `${ahead} ms ahead`);
    },
  },
  {
    section: 'jobs',
    promise: 'downReason says why a job is down, and is removed when it is up again',
    async check(_, t) {
      const clock = fakeClock();
      const { createJob, run, readJob } = await startForCustomer(t, { clock });
      let status = 500;
      const { url } = await startSink(t, (response) => response.writeHead(status).end());
      const job = await createJob({ url, paused: true });
      const failed = await run(job.id);
      assert.ok(failed.error);
      assert.equal((await readJob(job.id)).downReason, failed.error);
      status = 200;
      clock.advance(60_000);
      await run(job.id);
      assert.equal((await readJob(job.id)).downReason, null);
    },
  },
  {
    section: 'runs',
    promise: 'a run has exactly the documented fields, queued and ended',
    async check({ createJob, call, readRuns }, t) {
      const { url } = await startSink(t);
      const job = await createJob({ url });
      const { body } = await call('POST', `/jobs/${job.id}/run`);
      assertShape(body.run, runShape);
      assert.deepEqual([body.run.source, body.run.jobId], ['manual', job.id]);
      for (const run of await readRuns(job.id)) assertShape(run, runShape);
    },
  },
  {
    section: 'runs',
    promise: 'an ended run shows its status code, duration, attempts and answer',
    async check({ createJob, run }, t) {
      const { url } = await startSink(t, (response) => response.writeHead(202).end('taken'));
      const ended = await run((await createJob({ url })).id);
      assert.deepEqual([ended.httpStatus, ended.attempts, ended.responseBody], [202, 1, 'taken']);
      assert.deepEqual([ended.truncated, ended.error], [false, null]);
      const { startedAt, finishedAt, durationMs } = ended;
      assert.equal(durationMs, Date.parse(finishedAt ?? '') - Date.parse(startedAt ?? ''));
    },
  },
  {
    section: 'runs',
    promise: 'the preview holds 4096 bytes at most and marks truncation',
    async check({ createJob, run }, t) {
      const { url } = await startSink(t, (response) => response.end('é'.repeat(3_000)));
      const { responseBody, truncated } = await run((await createJob({ url })).id);
      assert.equal(Buffer.byteLength(responseBody ?? ''), 4_096);
      assert.equal(truncated, true);
    },
  },
  {
    section: 'the-api',
    promise: 'each response has its documented envelope',
    async check({ createJob, call }) {
      const { id } = await createJob();
      const keysOf = async (...asked: Parameters<Customer['call']>): Promise<string[]> =>
        Object.keys((await call(...asked)).body).toSorted();
      const body = { name: 'a', url: 'https://example.com/' };
      assert.deepEqual(await keysOf('POST', '/jobs', { body }), ['job']);
      assert.deepEqual(await keysOf('GET', `/jobs/${id}`), ['job']);
      assert.deepEqual(await keysOf('PATCH', `/jobs/${id}`, { body: {} }), ['job']);
      assert.deepEqual(await keysOf('GET', '/jobs'), ['jobs', 'nextCursor']);
      assert.deepEqual(await keysOf('GET', `/jobs/${id}/runs`), ['nextCursor', 'runs', 'totals']);
      assert.deepEqual(await keysOf('POST', `/jobs/${id}/run`), ['resultUrl', 'run']);
      assert.deepEqual(await keysOf('GET', '/jobs?limit=0'), ['error']);
    },
  },
  {
    section: 'the-api',
    promise: 'totals count the runs of a job by status',
    async check({ createJob, call, run }) {
      const { id } = await createJob();
      await run(id);
      const { totals } = (await call('GET', `/jobs/${id}/runs`)).body;
      const none = { queued: 0, running: 0, success: 0, interrupted: 0, missed: 0 };
      assert.deepEqual(totals, { ...none, failed: 1 });
    },
  },
];
