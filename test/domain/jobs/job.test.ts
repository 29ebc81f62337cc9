/** Jobs: defaults, validation errors, and the status of a job. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineJob, type JobInput } from '../../../src/domain/jobs/job-input.ts';
import { hostOf, jobStatus, jobStatuses, type Job } from '../../../src/domain/jobs/job.ts';
import { scheduleOf } from '../../../src/domain/schedule/schedule.ts';

const now = Date.parse('2026-03-02T10:00:12.345Z');

function define(input: Partial<JobInput> = {}, at = now): Job {
  const context = { id: 'the-id', workspaceId: 'the-workspace', now: at, allowTargets: [] };
  return defineJob({ name: 'a', url: 'https://example.com/', ...input }, context);
}

test('a name and a URL make an hourly GET in Europe/Paris', () => {
  assert.deepEqual(define(), {
    id: 'the-id',
    workspaceId: 'the-workspace',
    name: 'a',
    url: 'https://example.com/',
    method: 'GET',
    headers: {},
    body: null,
    timeoutSeconds: 30,
    retries: 0,
    reportWithinSeconds: null,
    makeUpSeconds: null,
    after: null,
    onResult: null,
    scheduleType: 'cron',
    cronExpr: '0 * * * *',
    timezone: 'Europe/Paris',
    periodSeconds: null,
    anchorAt: Date.parse('2026-03-02T10:00:12Z'),
    spreadSeconds: null,
    notBefore: null,
    notAfter: null,
    runAt: null,
    deleteAfterSeconds: null,
    adjustments: null,
    labels: null,
    notes: '',
    sign: null,
    audience: null,
    paused: false,
    health: 'new',
    failures: 0,
    activeRunId: null,
    nextRunAt: Date.parse('2026-03-02T11:00:00Z'),
    lastRunAt: null,
    lastDurationMs: null,
    downReason: null,
    createdAt: now,
  });
});

test('a null cronExpr means the default, a null body means none', () => {
  const job = define({ cronExpr: null, body: null });
  assert.deepEqual([job.cronExpr, job.body], ['0 * * * *', null]);
});

test('a period counts from the second of creation and needs no cron expression', () => {
  const job = define({ scheduleType: 'period', periodSeconds: 90 });
  assert.equal(job.nextRunAt, Date.parse('2026-03-02T10:01:42Z'));
  assert.equal(job.cronExpr, null);
  assert.deepEqual(scheduleOf(job), {
    scheduleType: 'period',
    periodSeconds: 90,
    anchorAt: Date.parse('2026-03-02T10:00:12Z'),
  });
});

test('a job may be created paused: it has no next run, but its schedule must be valid', () => {
  const job = define({ paused: true });
  assert.deepEqual([job.paused, job.nextRunAt], [true, null]);
  assert.throws(() => define({ paused: true, cronExpr: 'x' }), { code: 'invalid_input' });
});

test('a job is next due after the instant of its creation, not at it', () => {
  const onTheHour = Date.parse('2026-03-02T10:00:00Z');
  assert.equal(define({}, onTheHour).nextRunAt, onTheHour + 3_600_000);
});

test('the letter case of a time zone is normalized', () => {
  assert.equal(define({ timezone: 'asia/kolkata' }).timezone, 'Asia/Kolkata');
});

test('a job is shown as paused before running, and running before its health', () => {
  const job = define();
  const rows: [Partial<Job>, string][] = [
    [{}, 'new'],
    [{ health: 'up' }, 'up'],
    [{ health: 'down' }, 'down'],
    [{ health: 'down', activeRunId: 'r' }, 'running'],
    [{ health: 'up', paused: true }, 'paused'],
    [{ health: 'up', paused: true, activeRunId: 'r' }, 'paused'],
  ];
  for (const [fields, status] of rows) {
    assert.equal(jobStatus({ ...job, ...fields }), status, JSON.stringify(fields));
  }
  const seen = new Set(rows.map(([, status]) => status));
  assert.deepEqual([...seen].toSorted(), [...jobStatuses].toSorted());
});

test('fields that contradict each other give no schedule', () => {
  assert.throws(() => scheduleOf({ ...define(), cronExpr: null }), /no cron schedule/);
  assert.throws(() => scheduleOf({ ...define(), scheduleType: 'period' }), /no period schedule/);
});

test('the limit of calls to one host counts by its name, regardless of scheme, port and letter case', () => {
  assert.equal(hostOf('https://Example.COM/a?b#c'), 'example.com');
  assert.equal(hostOf('https://example.com:80/'), 'example.com');
  assert.equal(hostOf('http://example.com:443/'), 'example.com');
  assert.equal(hostOf('http://127.0.0.1:8080/'), '127.0.0.1');
});
