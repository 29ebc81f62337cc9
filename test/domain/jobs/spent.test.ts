/** When jobs delete themselves (docs/behavior.md#once-4). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeDeletion } from '../../../src/domain/jobs/spent.ts';
import * as fc from '../../support/fast-check.ts';

const at = fc.integer({ min: 0, max: 2_000_000 });
const spent = fc.record({
  lastRunAt: fc.option(at),
  lastDurationMs: fc.option(fc.integer({ min: 0, max: 100_000 })),
  deleteAfterSeconds: fc.integer({ min: 0, max: 1_000 }),
  isOffSchedule: fc.boolean(),
  isNeeded: fc.boolean(),
});

test('a job is deleted as soon as it may be, and is looked at later until then', () => {
  fc.assert(
    fc.property(spent, at, (job, now) => {
      const later = judgeDeletion(job, now);
      const endedAt = (job.lastRunAt ?? 0) + (job.lastDurationMs ?? 0);
      const isKept = job.isOffSchedule || job.isNeeded;
      const mayGo = !isKept && endedAt + job.deleteAfterSeconds * 1_000 <= now;
      assert.equal(later === null, mayGo);
      assert.ok(later === null || later > now, 'not looked at in vain at once');
    }),
  );
});
