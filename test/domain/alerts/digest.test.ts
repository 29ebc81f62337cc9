/** Digests: how runs are gathered, and how alerts about several things read. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { subjectOf } from '../../../src/domain/alerts/alert.ts';
import type { Alert, DownSubject, GatheredRuns } from '../../../src/domain/alerts/alert.ts';
import { changeChannel, defineChannel, serves } from '../../../src/domain/alerts/channel.ts';
import { gather, gatheredDueAt } from '../../../src/domain/alerts/digest.ts';
import { plainText, textOf } from '../../../src/domain/alerts/text.ts';
import { each } from '../../support/each.ts';

const timestamp = '2026-03-02T10:11:00.000Z';
const runs = (count: number, reason = 'jobd was not running', from = 0) =>
  Array.from({ length: count }, (_, index) => ({
    id: `run ${from + index}`,
    jobId: `job ${from + index}`,
    workspaceId: 'w',
    scheduledFor: (from + index) * 1_000,
    lastDueAt: (from + index) * 1_000 + 500,
    reason,
  }));

test('gathered runs are counted, the first ten are named, and each reason is said once', () => {
  const one = gather(null, runs(1));
  assert.deepEqual([one.count, one.from, one.to], [1, 0, 500]);
  const many = gather(gather(one, runs(30, 'jobd was not running', 5)), runs(2, 'overload', 2));
  assert.deepEqual([many.count, many.from, many.to], [33, 0, 34_500]);
  assert.deepEqual(many.reasons, ['jobd was not running', 'overload']);
  assert.deepEqual(each(many.first, 'id'), ['run 0', ...runs(9, '', 5).map(({ id }) => id)]);
  const reasons = ['a', 'b', 'c', 'd'].flatMap((reason) => runs(1, reason));
  assert.equal(gather(null, reasons).reasons.length, 3);
});

test('runs are reported 30 s after the first, and 5 min after the last report at the earliest', () => {
  assert.equal(gatheredDueAt(1_000, 0), 31_000);
  assert.equal(gatheredDueAt(1_000, 20_000), 31_000);
  assert.equal(gatheredDueAt(1_000, 301_000), 301_000);
  assert.equal(gatheredDueAt(1_000, 301_001), 31_000, 'the clock was set back');
});

const text = (type: Alert['type'], data: Alert['data']): string =>
  plainText(textOf({ type, timestamp, data }), 1_000);
const named = (count: number): GatheredRuns['first'] =>
  Array.from({ length: count }, (_, index) => ({
    id: `r${index}`,
    scheduledFor: '2026-03-02T10:00:00.000Z',
    job: { id: `j${index}`, name: `backup ${index}` },
  }));
const gathered = (count: number, first: number): GatheredRuns => ({
  count,
  from: '2026-03-02T09:00:00.000Z',
  to: '2026-03-02T10:00:00.000Z',
  reasons: ['jobd was not running'],
  first: named(first),
});

test('missed and interrupted runs read well, one or many', () => {
  assert.equal(
    text('job.missed', { runs: gathered(1, 1) }),
    `backup 0 missed its time
due between 2026-03-02T09:00:00.000Z and 2026-03-02T10:00:00.000Z
jobd was not running
at ${timestamp}
job j0
run r0`,
  );
  assert.match(text('job.interrupted', { runs: gathered(1, 1) }), /^backup 0 was interrupted\n/);
  assert.equal(
    text('job.missed', { runs: gathered(37, 3) }),
    `37 runs were missed
due between 2026-03-02T09:00:00.000Z and 2026-03-02T10:00:00.000Z
jobd was not running
backup 0, backup 1, backup 2, and 34 more
at ${timestamp}`,
  );
  assert.match(text('job.interrupted', { runs: gathered(2, 2) }), /^2 runs were interrupted\n/);
});

const down = (changes: Partial<DownSubject> = {}): DownSubject => ({
  type: 'job',
  id: 'j',
  name: 'backup',
  since: '2026-03-02T07:11:00.000Z',
  failures: 12,
  reason: 'http: 500',
  ...changes,
});

test('a reminder says for how long and since when', () => {
  assert.equal(
    text('reminder', { down: { count: 1, first: [down()] } }),
    `backup is still down
for 3 h, 12 failures in a row, since 2026-03-02T07:11:00.000Z
http: 500
at ${timestamp}
job j`,
  );
  const monitor = down({ type: 'monitor', id: 'm', name: 'a\nb', failures: null, reason: null });
  assert.equal(
    text('reminder', { down: { count: 12, first: [down({ failures: 1 }), monitor] } }),
    `12 jobs and monitors are still down
backup: for 3 h, 1 failure, since 2026-03-02T07:11:00.000Z
a b: for 3 h, since 2026-03-02T07:11:00.000Z
and 10 more
at ${timestamp}`,
  );
  const jobs = { count: 2, first: [down(), down({ name: 'sync' })] };
  assert.match(text('reminder', { down: jobs }), /^2 jobs are still down\n/);
  const ahead = down({ since: '2026-03-02T11:11:00.000Z' });
  assert.match(text('reminder', { down: { count: 1, first: [ahead] } }), /\nfor 0 s, /);
});

test('an alert is about one job or monitor, or about none', () => {
  const about = { type: 'job', id: 'j0', name: 'backup 0' };
  assert.deepEqual(subjectOf({ runs: gathered(1, 1) }), about);
  assert.equal(subjectOf({ runs: gathered(2, 2) }), null);
  assert.equal(subjectOf({ runs: gathered(11, 1) }), null);
  const first = [down({ type: 'monitor' })];
  assert.deepEqual(subjectOf({ down: { count: 1, first } }), {
    type: 'monitor',
    id: 'j',
    name: 'backup',
  });
  assert.equal(subjectOf({ down: { count: 2, first } }), null);
  assert.equal(subjectOf({ channel: { id: 'c', name: 'ops' } }), null);
});

const made = (fields: object) =>
  defineChannel(
    { name: 'c', type: 'slack', config: {}, ...fields },
    { id: 'c', workspaceId: 'w', now: 0 },
  );

test('a channel for all jobs serves all monitors, one for chosen jobs none, unless it is said', () => {
  assert.equal(made({}).monitorIds, null);
  assert.equal(made({ jobIds: null }).monitorIds, null);
  assert.deepEqual(made({ jobIds: ['j'] }).monitorIds, []);
  assert.equal(made({ jobIds: ['j'], monitorIds: null }).monitorIds, null);
  const chosen = made({ monitorIds: ['m'] });
  assert.deepEqual([chosen.jobIds, chosen.monitorIds], [null, ['m']]);
  assert.deepEqual(changeChannel(chosen, { jobIds: ['j'] }).monitorIds, ['m'], 'it stays');
  const other = { type: 'monitor', id: 'n' } as const;
  assert.ok(serves(chosen, { type: 'monitor', id: 'm' }) && !serves(chosen, other));
  assert.ok(serves(chosen, { type: 'job', id: 'n' }));
  assert.ok(serves(made({}), other) && !serves(made({ monitorIds: [] }), other));
  const twice = made({ alsoOn: ['interrupted', 'missed', 'missed'] });
  assert.deepEqual(twice.alsoOn, ['missed', 'interrupted']);
});
