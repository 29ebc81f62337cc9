/** Valid jobs and their defaults (docs/behavior.md#job-1). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestDaemon } from '../../support/running/daemon.ts';

const url = 'http://127.0.0.1:1/';
const smallest = { name: 'a', url };
const astral = '😀';

test('a job with only a name and a URL gets the defaults', async (t) => {
  const { ask } = await startTestDaemon(t);
  const before = Date.now();
  const { status, body } = await ask('POST', '/jobs', smallest);
  assert.equal(status, 201);
  const { id, createdAt, nextRunAt, ...rest } = body.job;
  assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.match(createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.ok(Date.parse(createdAt) >= before && Date.parse(createdAt) <= Date.now());
  const hour = 3_600_000;
  const nextHour = new Date((Math.floor(Date.parse(createdAt) / hour) + 1) * hour);
  assert.equal(nextRunAt, nextHour.toISOString());
  assert.deepEqual(rest, {
    name: 'a',
    url,
    method: 'GET',
    headerNames: [],
    body: null,
    scheduleType: 'cron',
    cronExpr: '0 * * * *',
    timezone: 'Europe/Paris',
    periodSeconds: null,
    timeoutSeconds: 30,
    retries: 0,
    notes: '',
    paused: false,
    status: 'new',
    lastRunAt: null,
    lastDurationMs: null,
    downReason: null,
  });
  assert.deepEqual((await ask('GET', `/jobs/${id}`)).body, body, 'it is kept as it was answered');
});

test('a job keeps all given fields', async (t) => {
  const { ask } = await startTestDaemon(t);
  const input = {
    name: 'Rechnung ✓',
    url: 'http://127.0.0.1:1/a?b=c#d',
    method: 'PATCH',
    body: '{"a":"ü\\u0000"}',
    scheduleType: 'period',
    cronExpr: null,
    timezone: 'America/New_York',
    periodSeconds: 90,
    timeoutSeconds: 7,
    retries: 2,
    notes: 'two\nlines',
    paused: true,
  };
  const made = await ask('POST', '/jobs', { ...input, headers: { 'X-One': '1', 'x-two': '2' } });
  assert.equal(made.status, 201, made.body.error);
  const { id, createdAt: _, ...rest } = made.body.job;
  assert.deepEqual(rest, {
    ...input,
    headerNames: ['X-One', 'x-two'],
    status: 'paused',
    nextRunAt: null,
    lastRunAt: null,
    lastDurationMs: null,
    downReason: null,
  });
  assert.deepEqual((await ask('GET', `/jobs/${id}`)).body.job, made.body.job);
});

/** Valid inputs, and the fields that show they were understood. */
const accepted: [what: string, input: object, shows?: object][] = [
  ['a name of 120 characters', { name: 'n'.repeat(120) }],
  ['a name of 120 characters of two UTF-16 units', { name: astral.repeat(120) }],
  ['notes of 4000 characters', { notes: astral.repeat(4_000) }],
  ['a body of 32768 characters', { method: 'POST', body: astral.repeat(32_768) }],
  ['a body of null', { body: null }, { body: null }],
  ['an empty body', { method: 'PUT', body: '' }, { body: '' }],
  ['a body with DELETE', { method: 'DELETE', body: 'x' }, { method: 'DELETE' }],
  ['HEAD', { method: 'HEAD' }, { method: 'HEAD' }],
  ['cronExpr null, which is the default', { cronExpr: null }, { cronExpr: '0 * * * *' }],
  ['a nickname', { cronExpr: '@daily' }, { cronExpr: '@daily' }],
  ['a zone in another letter case', { timezone: 'europe/london' }, { timezone: 'Europe/London' }],
  ['a zone by an alias', { timezone: 'Asia/Kolkata' }, { timezone: 'Asia/Kolkata' }],
  ['UTC', { timezone: 'utc' }, { timezone: 'UTC' }],
  ['no headers', { headers: {} }, { headerNames: [] }],
  ['a header without value', { headers: { 'X-Empty': '' } }, { headerNames: ['X-Empty'] }],
  ['the shortest period', { scheduleType: 'period', periodSeconds: 60 }, { periodSeconds: 60 }],
  ['the longest period', { scheduleType: 'period', periodSeconds: 31_536_000 }, { cronExpr: null }],
  ['the shortest timeout', { timeoutSeconds: 1 }, { timeoutSeconds: 1 }],
  ['the longest timeout', { timeoutSeconds: 60 }, { timeoutSeconds: 60 }],
  ['two retries', { retries: 2 }, { retries: 2 }],
  ['the shortest wait for a report', { reportWithinSeconds: 1 }],
  ['the longest wait for a report', { reportWithinSeconds: 86_400 }],
  ['no wait for a report', { reportWithinSeconds: null }, { reportWithinSeconds: undefined }],
  ['the shortest spread', { spreadSeconds: 1 }],
  ['the longest spread', { spreadSeconds: 3_600 }],
  [
    'a spread as long as the period',
    { scheduleType: 'period', periodSeconds: 60, spreadSeconds: 60 },
  ],
  [
    'bounds, in the time zone of the job or with an offset',
    { notBefore: '2999-12-01 09:00', notAfter: '2999-12-31T09:00:00.5+05:30' },
    { notBefore: '2999-12-01T08:00:00.000Z', notAfter: '2999-12-31T03:30:00.500Z' },
  ],
  ['no bounds', { notBefore: null, notAfter: null }, { notBefore: undefined }],
  [
    'once, in the time zone of the job',
    { runAt: new Date(Date.now() + 86_400_000).toISOString().slice(0, 16), timezone: 'UTC' },
    { deleteAfterSeconds: 604_800 },
  ],
  [
    'the longest time to keep it',
    { deleteAfterSeconds: 31_536_000, notAfter: '2999-12-31T09:00:00.000Z' },
  ],
  ['no spread', { spreadSeconds: null }, { spreadSeconds: undefined }],
  ['the shortest time to make up in', { makeUpSeconds: 60 }],
  ['the longest time to make up in', { makeUpSeconds: 604_800 }],
  ['nothing to make up', { makeUpSeconds: null }, { makeUpSeconds: undefined }],
  ['paused false', { paused: false }, { paused: false, status: 'new' }],
];

test('every valid input creates a job', async (t) => {
  const { ask } = await startTestDaemon(t);
  for (const [what, input, shows] of accepted) {
    const { status, body } = await ask('POST', '/jobs', { ...smallest, ...input });
    assert.equal(status, 201, `${what}: ${body.error}`);
    for (const [field, value] of Object.entries(shows ?? input)) {
      assert.deepEqual(body.job[field], value, `${what}: ${field}`);
    }
  }
});
