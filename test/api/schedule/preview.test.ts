/** Schedule previews over the API (an extension; docs/behavior.md#schedules). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SchedulePreview, SchedulePreviewInput } from '../../../src/api/schedule/contract.ts';
import { assertRefused } from '../../support/checks/answer.ts';
import { fakeClock } from '../../support/fakes/clock.ts';
import { startClockedDaemon, startTestDaemon } from '../../support/running/daemon.ts';

const path = '/schedule/preview';

/** A promise, the request, the due times to the minute, and the notes. */
const shown: [promise: string, input: object, next: string[], notes?: string[]][] = [
  [
    'without options: the next five full hours',
    {},
    [
      '2026-03-02T11:00',
      '2026-03-02T12:00',
      '2026-03-02T13:00',
      '2026-03-02T14:00',
      '2026-03-02T15:00',
    ],
  ],
  ['cronExpr null is its default', { cronExpr: null, count: 1 }, ['2026-03-02T11:00']],
  [
    'the zone is that of Paris by default',
    { cronExpr: '30 14 * * *', count: 1 },
    ['2026-03-02T13:30'],
  ],
  [
    'a zone in any letter case',
    { cronExpr: '30 14 * * *', timezone: 'asia/kolkata', count: 2 },
    ['2026-03-03T09:00', '2026-03-04T09:00'],
  ],
  [
    'a fixed time in a gap',
    { cronExpr: '30 2 * * *', from: '2026-03-28T12:00:00Z', count: 2 },
    ['2026-03-29T01:00', '2026-03-30T00:30'],
    ['2026-03-29 02:30 does not exist in Europe/Paris; runs at 03:00 instead'],
  ],
  [
    'a fixed time in an overlap',
    { cronExpr: '30 2 * * *', from: '2026-10-24T12:00:00Z', count: 2 },
    ['2026-10-25T00:30', '2026-10-26T01:30'],
    ['2026-10-25 02:30 happens twice in Europe/Paris; runs at the first'],
  ],
  [
    'a star in an overlap',
    { cronExpr: '*/30 2 * * *', from: '2026-10-24T12:00:00Z', count: 4 },
    ['2026-10-25T00:00', '2026-10-25T00:30', '2026-10-25T01:00', '2026-10-25T01:30'],
    ['2026-10-25 02:00 to 02:30 happen twice in Europe/Paris; runs both times'],
  ],
  [
    'a period counts from `from`, in whole seconds',
    { scheduleType: 'period', periodSeconds: 90, from: '2026-03-28T12:00:00.999Z', count: 2 },
    ['2026-03-28T12:01:30', '2026-03-28T12:03'],
  ],
  [
    'a period counts from now',
    { scheduleType: 'period', periodSeconds: 31_536_000, count: 1 },
    ['2027-03-02T10:00'],
  ],
  [
    'a spread of a job moves each by the same time, after the rules for clock changes',
    {
      cronExpr: '30 2 * * *',
      from: '2026-03-28T12:00:00Z',
      count: 2,
      spreadSeconds: 600,
      jobId: '019d1111-1111-7111-8111-111111111111',
    },
    ['2026-03-29T01:04:55', '2026-03-30T00:34:55'],
    ['2026-03-29 02:30 does not exist in Europe/Paris; runs at 03:04:55 instead'],
  ],
  [
    'a spread without a job has a note',
    { cronExpr: '0 9 * * *', count: 1, spreadSeconds: 600 },
    ['2026-03-03T08:00'],
    ['each is up to 10 min later, for one job always by the same time'],
  ],
  [
    'a one-time job is due once',
    { runAt: '2026-03-03T10:00:00+01:00', spreadSeconds: 60 },
    ['2026-03-03T09:00'],
    [],
  ],
  [
    'bounds are included, and a note says that they end',
    {
      scheduleType: 'period',
      periodSeconds: 3_600,
      notBefore: '2026-03-03T10:00:00Z',
      notAfter: '2026-03-03T11:00:00Z',
    },
    ['2026-03-03T10:00', '2026-03-03T11:00'],
    ['not due again after its notAfter, Tue 3 Mar 2026 12:00 +01:00'],
  ],
  [
    'fields that the schedule type does not use may be null',
    { scheduleType: 'period', periodSeconds: 60, cronExpr: null, timezone: 'UTC', count: 1 },
    ['2026-03-02T10:01'],
  ],
  [
    'an offset',
    { timezone: 'UTC', from: '2026-03-28T12:30:00-05:00', count: 1 },
    ['2026-03-28T18:00'],
  ],
  [
    'seconds may be left out',
    { timezone: 'UTC', from: '2026-03-28T12:00+05:45', count: 1 },
    ['2026-03-28T07:00'],
  ],
  [
    'seconds may have any fraction',
    { timezone: 'UTC', from: '2026-03-28T11:59:59.999999999Z', count: 1 },
    ['2026-03-28T12:00'],
  ],
  [
    '`from` itself is not a due time of it',
    { timezone: 'UTC', from: '2026-03-28T12:00:00Z', count: 1 },
    ['2026-03-28T13:00'],
  ],
  [
    'the first moment',
    { cronExpr: '@yearly', timezone: 'UTC', from: '1970-01-01T00:00:00Z', count: 1 },
    ['1971-01-01'],
  ],
  [
    'the last moment',
    { cronExpr: '@yearly', timezone: 'UTC', from: '2999-12-31T23:59:59.999Z', count: 1 },
    ['3000-01-01'],
  ],
];

test('a preview shows the next due times and the effects of clock changes', async (t) => {
  const { ask } = await startTestDaemon(t, { clock: fakeClock('2026-03-02T10:00:00.250Z') });
  for (const [promise, input, next, notes = []] of shown) {
    const { status, body } = await ask('POST', path, input);
    assert.equal(status, 200, `${promise}: ${body.error}`);
    const times = next.map((text) => new Date(text.length > 10 ? `${text}Z` : text).toISOString());
    assert.deepEqual({ next: body.next, notes: body.notes }, { next: times, notes }, promise);
  }
});

test('up to 100 due times can be previewed; each equals the nextRunAt of a job', async (t) => {
  const { clock, ask } = await startClockedDaemon(t);
  const schedule = { cronExpr: '*/7 1,2,3 * * *', timezone: 'Europe/Paris' };
  clock.set('2026-03-28T20:00:00Z');
  const { body } = await ask('POST', path, { ...schedule, count: 100 });
  assert.equal(body.next.length, 100);
  const job = { name: 'a', url: 'http://127.0.0.1:1/', ...schedule };
  for (const [index, due] of body.next.slice(0, 30).entries()) {
    const { body: made } = await ask('POST', '/jobs', job);
    assert.equal(made.job.nextRunAt, due, `number ${index}`);
    clock.set(due);
  }
});

function exampleOf(schema: object): unknown {
  return (schema as { examples?: unknown[] }).examples?.[0];
}

test('the published example matches the real response', async (t) => {
  const { ask } = await startTestDaemon(t);
  const { body } = await ask('POST', path, exampleOf(SchedulePreviewInput));
  assert.deepEqual(body, exampleOf(SchedulePreview));
});

test('a preview notes that a schedule ends', async (t) => {
  const { ask } = await startTestDaemon(t);
  // In 1980 clocks in Paris changed in April; since then, at two on the last Sunday of March.
  const input = { cronExpr: '*/30 2 * 3 0L', from: '1980-01-01T00:00:00Z', count: 100 };
  const { body } = await ask('POST', path, input);
  assert.deepEqual(body, {
    words: 'At 02:00 and 02:30, on the last Sunday of March',
    next: ['1980-03-30T01:00:00.000Z', '1980-03-30T01:30:00.000Z'],
    notes: ['not due again within the 41 years after that'],
  });
});

const iso = /^from must be a date and time in ISO 8601 with an offset or Z such as .*, got "/;
const refused: [what: string, input: unknown, words: RegExp][] = [
  ['an unknown field', { colour: 'red' }, /^colour is not a known field.*runAt, jobId, count/],
  ['a field of jobs', { name: 'a' }, /^name is not a known field/],
  ['no object', [], /^the body must be an object/],
  ['nothing', undefined, /^the body must be an object/],
  ['scheduleType, unknown', { scheduleType: 'rate' }, /^scheduleType must be one of cron, period/],
  ['cronExpr, a number', { cronExpr: 5 }, /^cronExpr must be a string or null, got 5/],
  ['cronExpr, minute 61', { cronExpr: '61 * * * *' }, /^cronExpr: the minute field takes 0 to 59/],
  ['cronExpr, 30 February', { cronExpr: '0 0 30 2 *' }, /^cronExpr never fires: no date matches/],
  [
    'cronExpr, always in a gap',
    { cronExpr: '*/30 2 * 3 0L' },
    /^cronExpr never fires in Europe\/Paris$/,
  ],
  [
    'cronExpr, bad beside a period',
    { scheduleType: 'period', periodSeconds: 60, cronExpr: 'x' },
    /^cronExpr/,
  ],
  ['timezone, unknown', { timezone: 'Mars' }, /^timezone must be an IANA name.*got "Mars"/],
  ['timezone, an offset', { timezone: '+02:00' }, /^timezone must be an IANA name/],
  ['timezone, a number', { timezone: 5 }, /^timezone must be a string, got 5/],
  [
    'cronExpr beside a period',
    { scheduleType: 'period', periodSeconds: 60, cronExpr: '@daily' },
    /^cronExpr has no effect while scheduleType is period/,
  ],
  ['period without periodSeconds', { scheduleType: 'period' }, /^periodSeconds is required/],
  ['periodSeconds, 59', { periodSeconds: 59 }, /^periodSeconds must be between 60 and 31536000/],
  ['periodSeconds, a string', { periodSeconds: '60' }, /^periodSeconds must be an integer/],
  ['count, 0', { count: 0 }, /^count must be between 1 and 100, got 0/],
  ['count, 101', { count: 101 }, /^count must be between 1 and 100, got 101/],
  ['count, a string', { count: '5' }, /^count must be an integer, got "5"/],
  ['count, half', { count: 1.5 }, /^count must be an integer, got 1\.5/],
  ['from, a number', { from: 1_774_699_200_000 }, /^from must be a string/],
  ['from, no zone', { from: '2026-03-28T12:00:00' }, iso],
  ['from, a date', { from: '2026-03-28' }, iso],
  ['from, words', { from: 'tomorrow' }, iso],
  ['from, empty', { from: '' }, iso],
  ['from, 29 February of 2026', { from: '2026-02-29T12:00:00Z' }, iso],
  ['from, month 13', { from: '2026-13-01T12:00:00Z' }, iso],
  ['from, hour 24', { from: '2026-03-28T24:00:00Z' }, iso],
  ['from, an offset without colon', { from: '2026-03-28T12:00:00+0200' }, iso],
  ['from, RFC 1123', { from: 'Sat, 28 Mar 2026 12:00:00 GMT' }, iso],
  ['from, long', { from: 'x'.repeat(10_000) }, iso],
  ['from, 1969', { from: '1969-12-31T23:59:59.999Z' }, /^from must be in the years 1970 to 2999/],
  ['from, 3000', { from: '3000-01-01T00:00:00Z' }, /^from must be in the years 1970 to 2999/],
];

test('invalid input is refused with the same messages as for a job', async (t) => {
  const { ask } = await startTestDaemon(t);
  for (const [what, input, words] of refused) {
    const answer = await ask('POST', path, input);
    assertRefused(answer, 400, words, what);
    assert.ok(answer.body.error.length < 300, what);
  }
});
