/** Updating a job (docs/behavior.md#job-4). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JobdError } from '../../../src/domain/errors.ts';
import { changeJob, defineJob } from '../../../src/domain/jobs/job-input.ts';
import type { JobInput, JobUpdate } from '../../../src/domain/jobs/job-input.ts';
import type { Job } from '../../../src/domain/jobs/job.ts';

const created = Date.parse('2026-03-02T10:00:12.345Z');
const later = Date.parse('2026-03-02T15:30:45.678Z');

function define(input: Partial<JobInput> = {}): Job {
  const context = { id: 'the-id', workspaceId: 'the-workspace', now: created, allowTargets: [] };
  const given = { name: 'a', url: 'https://example.com/', ...input };
  return { ...defineJob(given, context), health: 'down', downReason: 'http: 500', lastRunAt: 1 };
}

function change(job: Job, update: JobUpdate): Job {
  return changeJob(job, update, { now: later, allowTargets: [] });
}

const everyFive = { scheduleType: 'period', periodSeconds: 300 } as const;
const posting = { method: 'POST', headers: { 'X-A': '1', 'X-B': '2' }, body: 'b' } as const;

test('an empty update changes nothing', () => {
  for (const input of [{}, everyFive, posting, { paused: true }]) {
    const job = define(input);
    assert.deepEqual(change(job, {}), job);
  }
});

test('a job with headers moves to another scheme, host or port only if its headers are given again', () => {
  const job = define({ ...posting, url: 'https://b\u00fccher.example.com/a?b' });
  const stays = [
    'https://b\u00fccher.example.com/',
    'HTTPS://B\u00dcCHER.example.com:443/c',
    'https://xn--bcher-kva.example.com/c',
  ];
  for (const url of stays) assert.equal(change(job, { url }).url, url);
  const moves = [
    'http://b\u00fccher.example.com/a?b',
    'https://b\u00fccher.example.com:80/a?b',
    'https://evil.example.org/a?b',
  ];
  for (const url of moves) {
    assert.throws(
      () => change(job, { url }),
      /headers must be given again, or \{\} to remove them/,
      url,
    );
    assert.throws(
      () => change(job, { url, headerNames: ['X-A', 'X-B'], body: null }),
      /headers must/,
    );
    assert.deepEqual(change(job, { url, headers: { 'X-A': '1' } }).headers, { 'X-A': '1' });
    assert.deepEqual(change(job, { url, headers: {} }).headers, {});
    assert.equal(change(define(), { url }).url, url, 'it has no headers');
  }
});

test('a changed schedule counts from now', () => {
  const hourly = define();
  const cases: [Job, JobUpdate, string][] = [
    [hourly, { cronExpr: '15 * * * *' }, '2026-03-02T16:15:00.000Z'],
    [hourly, { cronExpr: '0 18 * * *', timezone: 'asia/tokyo' }, '2026-03-03T09:00:00.000Z'],
    [hourly, everyFive, '2026-03-02T15:35:45.000Z'],
    [define(everyFive), { periodSeconds: 60 }, '2026-03-02T15:31:45.000Z'],
    [define(everyFive), { scheduleType: 'cron' }, '2026-03-02T16:00:00.000Z'],
  ];
  for (const [job, update, expected] of cases) {
    const { nextRunAt } = change(job, update);
    assert.equal(new Date(nextRunAt ?? 0).toISOString(), expected, JSON.stringify(update));
  }
});

test('a job whose notAfter has passed can be changed, and is not resumed without a later one', () => {
  const ended = {
    ...define({ notAfter: '2026-03-02T12:30:00Z' }),
    paused: true,
    nextRunAt: null,
  };
  assert.equal(change(ended, { name: 'b' }).name, 'b');
  assert.equal(change({ ...ended, paused: false }, { name: 'b' }).nextRunAt, null);
  assert.throws(() => change(ended, { action: 'resume' }), {
    message: 'its notAfter, 2026-03-02T12:30:00.000Z, has passed: set a later one',
  });
  const resumed = change(ended, { action: 'resume', notAfter: '2026-03-02T18:00:00+01:00' });
  assert.equal(resumed.nextRunAt, Date.parse('2026-03-02T16:00:00Z'));
});

test('a one-time job is due once, at its time, until it has another one', () => {
  const spread = define({ timezone: 'UTC', spreadSeconds: 600 });
  const context = { now: created, allowTargets: [] };
  const once = changeJob(spread, { runAt: '2026-03-02 12:00' }, context);
  assert.equal(once.nextRunAt, Date.parse('2026-03-02T12:00:00Z'));
  const spent = { ...once, nextRunAt: null };
  assert.equal(change(spent, { name: 'b', runAt: '2026-03-02T12:00Z' }).nextRunAt, null);
  const again = change(spent, { runAt: '2026-03-02T17:00+01:00' });
  assert.equal(again.nextRunAt, Date.parse('2026-03-02T16:00:00Z'));
  const scheduled = change(spent, { runAt: null }).nextRunAt ?? 0;
  const offsetMs = scheduled - Date.parse('2026-03-02T16:00:00Z');
  assert.ok(offsetMs >= 0 && offsetMs <= 600_000, 'its schedule and its spread count again');
  const paused = change(once, { action: 'pause' });
  assert.throws(() => change(paused, { action: 'resume' }), {
    message: 'its runAt, 2026-03-02T12:00:00.000Z, has passed: set a later one',
  });
  assert.throws(() => change(once, { after: { jobId: 'x' } }), {
    message: 'runAt and after exclude each other: set one of them to null',
  });
});

test('a job that is made to be called once deletes itself after a week, unless it says otherwise', () => {
  const runAt = '2026-03-03T12:00Z';
  assert.equal(define({ runAt }).deleteAfterSeconds, 604_800);
  assert.equal(define({ runAt, deleteAfterSeconds: null }).deleteAfterSeconds, null);
  assert.equal(define({}).deleteAfterSeconds, null);
  const made = change(define({}), { runAt });
  assert.deepEqual([made.deleteAfterSeconds, made.makeUpSeconds], [null, null], 'it is kept');
  assert.equal(define({ runAt }).makeUpSeconds, 3_600);
  assert.equal(define({ runAt, makeUpSeconds: null }).makeUpSeconds, null);
  const kept = define({ runAt, deleteAfterSeconds: null });
  assert.equal(change(kept, { runAt: '2026-03-04T12:00Z' }).deleteAfterSeconds, null);
});

test('a period that counts from now is over once before it is due, however it is spread', () => {
  for (const spreadSeconds of [null, 1, 2, 3, 60, 299]) {
    const job = define({ scheduleType: 'period', periodSeconds: 300, spreadSeconds });
    const waitMs = (job.nextRunAt ?? 0) - job.anchorAt;
    assert.ok(waitMs >= 300_000 && waitMs < 600_000, `${spreadSeconds}: ${waitMs}`);
  }
});

test('a schedule that is given unchanged keeps its due times', () => {
  const period = define(everyFive);
  assert.deepEqual(change(period, everyFive), period);
  // A period is only shown in the zone.
  const { anchorAt, nextRunAt } = change(period, { timezone: 'UTC' });
  assert.deepEqual(
    { anchorAt, nextRunAt },
    { anchorAt: period.anchorAt, nextRunAt: period.nextRunAt },
  );
  const cron = define({ cronExpr: '0 5 * * *', timezone: 'UTC' });
  assert.deepEqual(change(cron, { cronExpr: '0 5 * * *', timezone: 'utc' }), cron);
});

test('null for a field of the schedule changes nothing', () => {
  const nulls = { scheduleType: null, cronExpr: null, timezone: null, periodSeconds: null };
  for (const input of [{ cronExpr: '0 0 1 1 *', timezone: 'Asia/Tokyo' }, everyFive]) {
    const job = define(input);
    assert.deepEqual(change(job, nulls), job);
  }
});

test('a field that the schedule type does not use is refused, unless it is unchanged', () => {
  const yearly = define({ cronExpr: '0 0 1 1 *' });
  const period = change(yearly, everyFive);
  assert.equal(period.cronExpr, '0 0 1 1 *', 'earlier values are kept');
  assert.deepEqual(change(period, { cronExpr: '0 0 1 1 *' }), period);
  assert.throws(
    () => change(period, { cronExpr: '0 5 * * *' }),
    /^JobdError: cronExpr has no effect/,
  );
  assert.throws(() => change(yearly, { periodSeconds: 60 }), /periodSeconds has no effect while/);
  assert.throws(() => change(yearly, { ...everyFive, cronExpr: '0 5 * * *' }), /cronExpr has no/);
  assert.equal(change(period, { scheduleType: 'cron' }).nextRunAt, yearly.nextRunAt);
});

test('a paused job is never due; a resumed one counts from the moment of resuming', () => {
  const paused = change(define(everyFive), { action: 'pause' });
  assert.equal(paused.paused, true);
  assert.equal(paused.nextRunAt, null);
  assert.deepEqual(change(paused, { action: 'pause' }), paused);
  assert.equal(change(paused, { periodSeconds: 60 }).nextRunAt, null);
  const resumed = change(paused, { action: 'resume' });
  assert.equal(resumed.paused, false);
  assert.equal(new Date(resumed.nextRunAt ?? 0).toISOString(), '2026-03-02T15:35:45.000Z');
  const running = define(everyFive);
  assert.deepEqual(change(running, { action: 'resume' }), running, 'nothing to resume');
});

test('the action is applied after the field changes', () => {
  const paused = define({ paused: true });
  const resumed = change(paused, { ...everyFive, action: 'resume' });
  assert.equal(new Date(resumed.nextRunAt ?? 0).toISOString(), '2026-03-02T15:35:45.000Z');
  assert.equal(change(define(), { cronExpr: '5 * * * *', action: 'pause' }).nextRunAt, null);
});

test('the fields must fit together after the update, and earlier values are kept', () => {
  const cases: [Job, JobUpdate, RegExp][] = [
    [define(posting), { method: 'GET' }, /body is sent only with .*got method GET/],
    [define(), { body: 'x' }, /body is sent only with .*got method GET/],
    [define(), { scheduleType: 'period' }, /periodSeconds is required/],
    [define({ paused: true }), { cronExpr: '0 0 31 2 *' }, /cronExpr/],
    [define(), { timezone: 'Nowhere/At_All' }, /timezone/],
    [define(), { url: 'http://127.0.0.1/' }, /url .*not public/],
    [define(), { headers: { Host: 'x' } }, /headers.*Host/],
    [define(), { name: ' ' }, /name must not be blank/],
    [define(), { name: '\u200b\u3164\u00ad\u0007\ufe0f\u2800' }, /name must not be blank/],
  ];
  for (const [job, update, words] of cases) {
    const refused = (error: unknown): boolean =>
      error instanceof JobdError && error.code === 'invalid_input' && words.test(error.message);
    assert.throws(() => change(job, update), refused, JSON.stringify(update));
  }
  assert.equal(change(define(posting), { method: 'GET', body: null }).body, null);
});

test('a target that is no longer allowed does not block other changes', () => {
  const job = { ...define(), url: 'http://127.0.0.1:3000/' };
  assert.equal(change(job, { notes: 'n' }).notes, 'n');
});
