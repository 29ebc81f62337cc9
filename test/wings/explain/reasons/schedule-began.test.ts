/** Due times before a schedule began to count, and what is said of now. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explain, focusOf } from '../../../../src/wings/explain/reasons/explain.ts';
import type {
  Explanation,
  JobChange,
  Records,
} from '../../../../src/wings/explain/reasons/facts.ts';
import {
  explainedJob,
  explainedRecords,
  explainedRun,
} from '../../../support/records/explained.ts';

const hour = 3_600_000;
const now = Date.parse('2026-11-24T12:00:00Z');
const createdAt = now - 72 * hour;

function explained(at: string | null, changes: Partial<Records> = {}): Explanation {
  const records = explainedRecords(at, changes);
  const { job, trail, asked, run } = records;
  return explain(records, focusOf(job, trail, asked, run?.scheduledFor ?? null));
}

function interval(anchorAt: number) {
  return explainedJob({
    createdAt,
    scheduleType: 'period',
    cronExpr: null,
    periodSeconds: 86_400,
    timezone: 'UTC',
    anchorAt,
  });
}

function trailOf(...entries: [at: number, action: JobChange['action'], fields?: string[]][]) {
  const changes = entries.map(([at, action, fields = []]) => ({ at, action, fields, who: null }));
  return { changes: changes.toReversed(), completeSince: 0 };
}

function said({ facts }: Explanation, kind: string): string {
  return facts.flatMap((one) => (one.kind === kind ? [one.sentence] : [])).join(' ');
}

test('an interval is not due at the moment it is counted from, but first a period later', () => {
  const at = now - hour;
  const trail = trailOf([at - 1, 'job.pause'], [at, 'job.resume']);
  const found = explained(null, { job: interval(at), trail });
  assert.equal(found.dueAt, null);
  assert.equal(
    found.answer,
    'It has not been due since it was resumed or changed, at Tue 2026-11-24 11:00 +00:00: its interval is counted from then.',
  );
  assert.equal(said(found, 'due'), '');
  const then = explained('2026-11-24 11:00', { job: interval(at), trail });
  assert.deepEqual([then.outcome, then.dueAt], ['not_due', null], then.answer);
  assert.equal(said(then, 'due'), 'The due time after is Wed 2026-11-25 11:00 +00:00.');
  const later = explained(null, { job: interval(at - 24 * hour) });
  assert.equal(later.dueAt, at, 'a period later it is due');
});

test('an interval that was just created is not due at its creation', () => {
  const made = { ...interval(now - hour), createdAt: now - hour };
  const found = explained(null, { job: made });
  assert.equal(
    found.answer,
    'It has not been due yet: it was created at Tue 2026-11-24 11:00 +00:00.',
  );
});

test('the newest run from before the resumption is explained, if there is one', () => {
  const at = now - hour;
  const run = explainedRun(new Date(at - 5 * hour).toISOString());
  const found = explained(null, { job: interval(at), run });
  assert.equal(found.dueAt, run.scheduledFor);
  assert.equal(found.outcome, 'success');
});

for (const [name, job] of [
  ['an interval', interval(now - hour)],
  ['a cron schedule', explainedJob({ createdAt, cronExpr: '45 * * * *', timezone: 'UTC' })],
] as const) {
  test(`${name} has no due times before the job stopped running after another one`, () => {
    const trail = trailOf([now - hour, 'job.update', ['after']]);
    const soon = { now: now - hour / 2, job, trail };
    const found = explained(null, soon);
    assert.deepEqual([found.outcome, found.dueAt], ['not_due', null], found.answer);
    assert.match(
      found.answer,
      /^It has not been due since it (stopped running after another job|was resumed or changed), at Tue 2026-11-24 11:00/,
    );
    const before = explained('2026-11-24 10:45', soon);
    assert.equal(
      before.answer,
      'It was not due at Tue 2026-11-24 10:45 +00:00: it ran after another job until Tue 2026-11-24 11:00 +00:00.',
    );
    assert.equal(said(before, 'schedule') + said(before, 'due'), '');
  });
}

test('the state of a job is in the present for now, and in the past for a due time', () => {
  const fresh = { ...interval(now - hour), createdAt: now - hour };
  assert.equal(said(explained(null, { job: fresh }), 'paused'), 'The job is active, not paused.');
  const paused = { job: { ...fresh, paused: true }, trail: trailOf([now - 60_000, 'job.pause']) };
  assert.equal(
    said(explained(null, paused), 'paused'),
    'The job is paused: it was paused at Tue 2026-11-24 11:59 +00:00.',
  );
  const old = { ...paused, trail: { changes: [], completeSince: now - 60_000 } };
  assert.equal(
    said(explained(null, old), 'paused'),
    'The job is paused.',
    'since when is not kept',
  );
  const before = explained('02:30', { run: explainedRun('2026-11-24T01:30:00Z') });
  assert.equal(said(before, 'paused'), 'The job was active then, not paused.');
});
