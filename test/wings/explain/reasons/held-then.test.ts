/** Which state and schedule of a job held at an instant, from the changes since. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { heldAt } from '../../../../src/wings/explain/reasons/held-then.ts';
import type { JobChange } from '../../../../src/wings/explain/reasons/facts.ts';
import { explainedJob } from '../../../support/records/explained.ts';

function change(at: number, action: JobChange['action'], ...fields: string[]): JobChange {
  return { at, action, fields, who: 'key ops' };
}

const create = change(10, 'job.create');
const pause = change(20, 'job.pause');
const resume = change(30, 'job.resume');

/** Changes with the newest first, whether the job is paused now, and what held at 25. */
const states: [changes: JobChange[], paused: boolean, then: boolean, by: number | null][] = [
  [[create], false, false, null],
  [[create], true, true, null],
  [[pause, create], true, true, 20],
  [[resume, pause, create], false, true, 20],
  [[change(26, 'job.pause'), create], true, false, null],
  [[change(28, 'job.update', 'url', 'paused'), create], true, false, null],
  [[change(22, 'job.update', 'paused', 'notes'), create], true, true, 22],
  [[change(40, 'job.pause'), resume, pause, create], true, true, 20],
];

test('pauses since are undone, and the last one before says who', () => {
  for (const [changes, paused, then, by] of states) {
    const held = heldAt(explainedJob({ paused, createdAt: 10 }), { changes, completeSince: 0 }, 25);
    const found = [held.isPaused, held.pausedBy?.at ?? null];
    assert.deepEqual(found, [then, by], JSON.stringify(changes));
  }
});

test('an instant from before the trail begins has no known state', () => {
  const held = heldAt(explainedJob({ createdAt: 10 }), { changes: [], completeSince: 26 }, 25);
  assert.deepEqual([held.isPaused, held.isSameSchedule, held.isCreated], [null, null, true]);
});

test('a later change of the schedule is found, the first of several', () => {
  const first = change(27, 'job.update', 'name', 'schedule');
  const changes = [change(50, 'job.update', 'schedule'), first, create];
  const held = heldAt(explainedJob({ createdAt: 10 }), { changes, completeSince: 0 }, 25);
  assert.equal(held.isSameSchedule, false);
  assert.equal(held.scheduleChangedBy, first);
  assert.deepEqual(held.laterChanges, [first]);
});

test('an interval that was resumed since was counted from elsewhere', () => {
  const job = explainedJob({
    scheduleType: 'period',
    periodSeconds: 60,
    cronExpr: null,
    createdAt: 10,
    anchorAt: 30,
  });
  const trail = { changes: [resume, pause, create], completeSince: 0 };
  assert.equal(heldAt(job, trail, 15).isSameSchedule, false);
  assert.equal(heldAt(job, trail, 31).isSameSchedule, true);
});
