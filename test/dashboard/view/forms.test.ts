/** Errors of the API about fields in the words of the form, by real sentences of the API. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  brokenFields,
  differences,
  differing,
  fieldError,
  fieldLabels,
  fieldWords,
  range,
} from '../../../src/dashboard/view/forms.ts';
import { emptyIn, formOf, inputOf } from '../../../src/dashboard/view/job-form.ts';
import type { JobForm } from '../../../src/dashboard/view/job-form.ts';
import {
  emptyInMonitor,
  monitorForm,
  monitorInput,
} from '../../../src/dashboard/view/monitor-form.ts';
import type { MonitorForm } from '../../../src/dashboard/view/monitor-form.ts';
import { each } from '../../support/each.ts';
import { startTestDaemon } from '../../support/running/daemon.ts';

const job = { name: 'a', url: 'https://example.com/', cronExpr: '@daily' };
const period = { name: 'a', url: 'https://example.com/', scheduleType: 'period' };

const refused: readonly (readonly [field: string, input: object])[] = [
  ['name', { ...job, name: '' }],
  ['name', { ...job, name: ' ' }],
  ['name', { ...job, name: 'a'.repeat(121) }],
  ['url', { ...job, url: '' }],
  ['url', { ...job, url: 'example.com' }],
  ['url', { ...job, url: 'https://me:pw@example.com/' }],
  ['url', { ...job, url: 'http://192.168.0.1/' }],
  ['url', { ...job, url: `https://example.com/${'a'.repeat(2048)}` }],
  ['method', { ...job, method: 'TRACE' }],
  ['headers', { ...job, headers: { Host: 'a' } }],
  ['headers', { ...job, headers: { '': 'a' } }],
  ['headers', { ...job, headers: { 'X-A': 'ä' } }],
  ['headers', { ...job, headers: { 'X-A': 1 } }],
  ['headers', { ...job, headers: { 'X-A': 'a'.repeat(16_385) } }],
  ['body', { ...job, body: 'a' }],
  ['body', { ...job, method: 'POST', body: 'a'.repeat(32_769) }],
  ['cronExpr', { ...job, cronExpr: '' }],
  ['cronExpr', { ...job, cronExpr: '* * * *' }],
  ['cronExpr', { ...job, cronExpr: '0 25 * * *' }],
  ['cronExpr', { ...job, cronExpr: '0 0 31 2 *' }],
  ['timezone', { ...job, timezone: 'Paris' }],
  ['timezone', { ...job, timezone: '' }],
  ['periodSeconds', { ...period, periodSeconds: 30 }],
  ['periodSeconds', { ...period, periodSeconds: 'five' }],
  ['periodSeconds', { ...period, periodSeconds: 90.5 }],
  ['periodSeconds', period],
  ['timeoutSeconds', { ...job, timeoutSeconds: 61 }],
  ['timeoutSeconds', { ...job, timeoutSeconds: '' }],
  ['retries', { ...job, retries: 3 }],
  ['notes', { ...job, notes: 'a'.repeat(4001) }],
];

test('every refusal of a field is shown beside it', async (t) => {
  const { ask } = await startTestDaemon(t);
  for (const [field, input] of refused) {
    const { status, body } = await ask('POST', '/jobs', input);
    assert.ok(status === 400 || status === 413, `${status} ${JSON.stringify(input).slice(0, 100)}`);
    const shown = fieldError(body.error);
    assert.equal(shown.field, field);
    assert.ok(shown.error.startsWith(fieldLabels[field] ?? 'no label'), shown.error);
  }
});

test('a refusal is said with the label of its field, and without types of JSON', async (t) => {
  const { ask } = await startTestDaemon(t);
  const rows: [input: object, shown: string][] = [
    [{ ...job, name: 'a'.repeat(121) }, 'Name must be at most 120 characters, got 121'],
    [{ ...job, url: 'example.com' }, 'URL must begin with http:// or https://'],
    [{ ...job, retries: 3 }, 'Retries must be between 0 and 2, got 3'],
    [{ ...job, timeoutSeconds: 61 }, 'Timeout must be between 1 and 60 seconds, got 61'],
    [{ ...job, timeoutSeconds: 'x' }, 'Timeout must be a whole number of seconds, got "x"'],
    [{ ...period, periodSeconds: 30 }, 'Period must be between 60 and 31536000 seconds, got 30'],
    [{ ...period, periodSeconds: 'five' }, 'Period must be a whole number of seconds, got "five"'],
    [{ ...job, cronExpr: '0 25 * * *' }, 'Cron expression: the hour field takes 0 to 23, got "25"'],
    [{ ...job, headers: { 'X-A': 1 } }, 'Headers: X-A must be a string, got a number'],
  ];
  for (const [input, shown] of rows) {
    const { body } = await ask('POST', '/jobs', input);
    assert.equal(fieldError(body.error).error, shown);
  }
});

test('a field of a job that was left empty is said to be empty', async (t) => {
  const { ask } = await startTestDaemon(t);
  const { body: made } = await ask('POST', '/jobs', job);
  const form = formOf(made.job, 'UTC');
  const { schedule } = form;
  const rows: [changed: Partial<JobForm>, shown: string][] = [
    [{ name: ' ' }, 'Name must not be empty'],
    [{ url: '' }, 'URL must not be empty'],
    [{ schedule: { ...schedule, cronExpr: '' } }, 'Cron expression must not be empty'],
    [{ schedule: { ...schedule, timezone: '' } }, 'Time zone must not be empty'],
    [{ schedule: { ...schedule, scheduleType: 'period' } }, 'Period must not be empty'],
    [{ timeoutSeconds: '' }, 'Timeout must not be empty'],
    [{ retries: '' }, 'Retries must not be empty'],
  ];
  for (const [changed, shown] of rows) {
    const typed = { ...form, ...changed };
    const { status, body } = await ask('POST', '/jobs', inputOf(typed));
    assert.equal(status, 400);
    assert.equal(fieldError(body.error, emptyIn(typed)).error, shown);
  }
});

test('refusals of monitors are said in the same way', async (t) => {
  const { ask } = await startTestDaemon(t);
  const form = monitorForm(null, 'UTC');
  const whole = { ...form, name: 'a', schedule: { ...form.schedule, cronExpr: '@daily' } };
  const rows: [changed: Partial<MonitorForm>, shown: string][] = [
    [{ name: '' }, 'Name must not be empty'],
    [{ schedule: form.schedule }, 'Cron expression must not be empty'],
    [{ graceSeconds: { count: '', unit: 'minutes' } }, 'Grace must not be empty'],
    [
      { graceSeconds: { count: 'x', unit: 'minutes' } },
      'Grace must be a whole number of seconds, got "x"',
    ],
    [
      { graceSeconds: { count: '2', unit: 'days' } },
      'Grace must be between 0 and 86400 seconds, got 172800',
    ],
  ];
  for (const [changed, shown] of rows) {
    const typed = { ...whole, ...changed };
    const { status, body } = await ask('POST', '/monitors', monitorInput(typed));
    assert.equal(status, 400);
    assert.equal(fieldError(body.error, emptyInMonitor(typed)).error, shown);
  }
});

test('another address needs the headers again, which is said beside them', async (t) => {
  const { ask } = await startTestDaemon(t);
  const { body } = await ask('POST', '/jobs', { ...job, headers: { 'X-A': 'b' } });
  const moved = await ask('PATCH', `/jobs/${body.job.id}`, { url: 'https://example.org/' });
  assert.equal(moved.status, 400);
  assert.equal(fieldError(moved.body.error).field, 'headers');
});

test('what is about no field is shown above the form', () => {
  for (const error of [
    'the request body must be at most 256 KiB',
    'the plan free allows 5 jobs and monitors together, the account has 5',
    'too many requests, try again in 10 s',
    'names are no field',
    'jobd does not answer. Is the server running?',
  ]) {
    assert.deepEqual(fieldError(error), { field: null, error });
  }
});

test('an update sends what differs, and fields that only one side has differ, too', () => {
  const before = { name: 'a', notes: '', headers: { a: '1' } };
  assert.deepEqual(differing(before, before), {});
  assert.deepEqual(differing({ ...before, name: 'b', body: null }, before), {
    name: 'b',
    body: null,
  });
  assert.deepEqual(differences({ name: 'a' }, { name: 'b', cronExpr: '@daily' }), [
    'name',
    'cronExpr',
  ]);
});

test('fields are named in words, each once, and limits as a range', () => {
  assert.equal(
    fieldWords(['url', 'cronExpr', 'periodSeconds', 'headerNames']),
    'URL, schedule and headers',
  );
  assert.equal(fieldWords(['notes']), 'notes');
  assert.equal(range({ minimum: 1, maximum: 60 }), '1 to 60');
});

test('all fields that break a rule of their own are found at once', () => {
  const input = { name: 'a'.repeat(121), retries: 9, timeoutSeconds: 'ten', notes: '', body: null };
  const broken = brokenFields('job', input).map((sentence) => fieldError(sentence));
  assert.deepEqual(each(broken, 'field'), ['name', 'retries', 'timeoutSeconds']);
  assert.equal(broken[2]?.error, 'Timeout must be a whole number of seconds, got "ten"');
  assert.deepEqual(brokenFields('job', inputOf(formOf(null, 'UTC'))), ['name must not be empty']);
});
