/** Jobs: defaults, validation errors, and the status of a job. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JobdError } from '../../../src/domain/errors.ts';
import { defineJob } from '../../../src/domain/jobs/job-input.ts';
import { hostOf, jobStatus, jobStatuses } from '../../../src/domain/jobs/job.ts';
import { scheduleOf } from '../../../src/domain/schedule/schedule.ts';
import type { JobInput } from '../../../src/domain/jobs/job-input.ts';
import type { Job } from '../../../src/domain/jobs/job.ts';

const now = Date.parse('2026-03-02T10:00:12.345Z');

function define(input: Partial<JobInput> = {}, at = now): Job {
  const context = { id: 'the-id', workspaceId: 'the-workspace', now: at, allowTargets: [] };
  return defineJob({ name: 'a', url: 'https://example.com/', ...input }, context);
}

function refusal(input: Partial<JobInput>): JobdError {
  try {
    define(input);
  } catch (error) {
    assert.ok(error instanceof JobdError, String(error));
    return error;
  }
  throw new Error(`accepted: ${JSON.stringify(input)}`);
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
    awaitSeconds: null,
    after: null,
    onResult: null,
    scheduleType: 'cron',
    cronExpr: '0 * * * *',
    timezone: 'Europe/Paris',
    periodSeconds: null,
    anchorAt: Date.parse('2026-03-02T10:00:12Z'),
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

test('given fields are kept', () => {
  const input = {
    name: 'nightly 🌙',
    method: 'POST',
    headers: { 'X-Token': 'abc' },
    body: '{}',
    cronExpr: '30 2 * * *',
    timezone: 'America/New_York',
    timeoutSeconds: 60,
    retries: 2,
    notes: 'call Ann',
  } as const;
  const job = define(input);
  for (const [field, value] of Object.entries(input)) {
    assert.deepEqual(job[field as keyof typeof input], value, field);
  }
  assert.equal(job.nextRunAt, Date.parse('2026-03-03T07:30:00Z'));
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
  assert.equal(refusal({ paused: true, cronExpr: 'x' }).code, 'invalid_input');
});

test('a job is next due after the instant of its creation, not at it', () => {
  const onTheHour = Date.parse('2026-03-02T10:00:00Z');
  assert.equal(define({}, onTheHour).nextRunAt, onTheHour + 3_600_000);
});

test('the letter case of a time zone is normalized', () => {
  assert.equal(define({ timezone: 'asia/kolkata' }).timezone, 'Asia/Kolkata');
});

test('every impossible combination is refused with a message', () => {
  const rows: [Partial<JobInput>, RegExp][] = [
    [{ name: '' }, /^name must not be empty$/],
    [{ name: ' \t\u00a0' }, /^name must not be blank$/],
    [{ scheduleType: 'period' }, /^periodSeconds is required when scheduleType is period$/],
    [{ periodSeconds: 59 }, /^periodSeconds must be between 60 and 31536000, got 59$/],
    [{ periodSeconds: 31_536_001 }, /^periodSeconds must be between 60 and 31536000/],
    [{ cronExpr: '*/30 2 * 3 0L' }, /^cronExpr never fires in Europe\/Paris$/],
    [{ cronExpr: 'every day' }, /^cronExpr must have 5 fields/],
    [{ cronExpr: '' }, /^cronExpr /],
    [{ cronExpr: '0 0 31 2 *' }, /^cronExpr /],
    [{ scheduleType: 'period', periodSeconds: 60, cronExpr: 'x' }, /^cronExpr /],
    [
      { timezone: '+02:00' },
      /^timezone must be an IANA name .*got "\+02:00"; an offset has no daylight saving/,
    ],
    [{ scheduleType: 'period', periodSeconds: 60, timezone: 'Mars/Olympus' }, /^timezone /],
    [{ url: 'ftp://example.com/' }, /^url must /],
    [{ url: 'http://10.0.0.1/' }, /^url must /],
    [{ url: 'https://example.com:8080/' }, /^url must /],
    [{ headers: { Host: 'a' } }, /^headers must not contain Host/],
    [{ headers: { 'X-Service-Run-Id': 'a' } }, /^headers must not contain X-Service-Run-Id/],
  ];
  for (const [input, words] of rows) {
    const error = refusal(input);
    assert.equal(error.code, 'invalid_input', JSON.stringify(input));
    assert.match(error.message, words);
  }
});

test('GET and HEAD have no body, not even an empty one; the others may', () => {
  for (const method of ['GET', 'HEAD'] as const) {
    for (const body of ['', 'x']) {
      const error = refusal({ method, body });
      assert.equal(error.code, 'invalid_input');
      assert.equal(
        error.message,
        `body is sent only with POST, PUT, PATCH, DELETE, got method ${method}`,
      );
    }
  }
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const) {
    assert.equal(define({ method, body: 'x' }).body, 'x');
  }
});

test('a body has at most 32768 characters, counted as code points', () => {
  for (const letter of ['a', 'é', '😀']) {
    assert.ok(define({ method: 'POST', body: letter.repeat(32_768) }).body);
    const error = refusal({ method: 'POST', body: letter.repeat(32_769) });
    assert.equal(error.code, 'too_large');
    assert.equal(error.message, 'body must be at most 32768 characters, got 32769');
  }
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
