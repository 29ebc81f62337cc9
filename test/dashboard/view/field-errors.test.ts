/** The field that an error of the API is about, by real sentences of the API. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fieldError } from '../../../src/dashboard/view/field-errors.ts';
import { startTestDaemon } from '../../support/running/daemon.ts';

const fields = [
  'name',
  'url',
  'method',
  'headers',
  'body',
  'scheduleType',
  'cronExpr',
  'timezone',
  'periodSeconds',
  'timeoutSeconds',
  'retries',
  'notes',
];
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
  ['cronExpr', { ...job, cronExpr: '*/99 * * * *' }],
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
    assert.deepEqual(fieldError(body.error, fields), { field, error: body.error });
  }
});

test('another address needs the headers again, which is said beside them', async (t) => {
  const { ask } = await startTestDaemon(t);
  const { body } = await ask('POST', '/jobs', { ...job, headers: { 'X-A': 'b' } });
  const moved = await ask('PATCH', `/jobs/${body.job.id}`, { url: 'https://example.org/' });
  assert.equal(moved.status, 400);
  assert.equal(fieldError(moved.body.error, fields).field, 'headers');
});

test('what is about no field is shown above the form', () => {
  for (const error of [
    'the request body must be at most 256 KiB',
    'the plan free allows 5 jobs and monitors together, the account has 5',
    'too many requests, try again in 10 s',
    'names are no field',
    'jobd does not answer. Is the server running?',
  ]) {
    assert.deepEqual(fieldError(error, fields), { field: null, error });
  }
});
