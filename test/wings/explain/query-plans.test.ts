/** The cost of an explanation: each query reads a bounded part of an index, however long the history is. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listDeliveriesAbout } from '../../../src/store/alerts/deliveries.ts';
import { findOldestDueTime } from '../../../src/store/runs/history.ts';
import { countInFlight } from '../../../src/store/runs/in-flight.ts';
import { assertPlan, planOf } from '../../support/checks/query-plan.ts';

test('the oldest kept run of a job is the beginning of an index', async (t) => {
  assertPlan(await planOf(t, (db) => findOldestDueTime(db, 'j')), [
    /^SEARCH runs USING COVERING INDEX runs_by_time \(job_id=\?\)$/,
  ]);
});

test('calls in flight are found among runs of a few minutes, without a sort', async (t) => {
  const wanted = { at: 2, since: 1, host: 'h', except: null };
  const steps = await planOf(t, (db) => countInFlight(db, 'w', wanted));
  assertPlan(steps, [
    /^SEARCH runs USING INDEX runs_by_workspace \(workspace_id=\? AND scheduled_for>\? AND scheduled_for<\?\)$/,
    /^SEARCH completions USING INDEX sqlite_autoindex_completions_1 \(run_id=\?\) LEFT-JOIN$/,
    /^SEARCH jobs USING INDEX sqlite_autoindex_jobs_1 \(id=\?\)$/,
  ]);
});

test('alerts about a job are found in each channel by the time they were made', async (t) => {
  const subject = { workspaceId: 'w', subjectId: 'j' };
  const steps = await planOf(t, (db) => listDeliveriesAbout(db, subject, { from: 1, limit: 20 }));
  const plan = steps.join('\n');
  assert.match(
    plan,
    /USING COVERING INDEX deliveries_by_subject \(channel_id=\? AND about_id=\? AND id>\?\)/,
  );
  assert.match(plan, /SEARCH channels USING (COVERING )?INDEX channels_of_people/);
  assert.doesNotMatch(plan, /SCAN (deliveries|channels|runs|jobs)\b/, plan);
});
