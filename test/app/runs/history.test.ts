/** The history of a job: the same runs as its list, found within bounds. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { each } from '../../support/each.ts';
import * as fc from '../../support/fast-check.ts';
import { listDays, listHistory } from '../../../src/app/runs/history.ts';
import { listRuns } from '../../../src/app/runs/runs.ts';
import { newId } from '../../../src/domain/id.ts';
import { runStatuses } from '../../../src/domain/runs/run.ts';
import type { Run, RunStatus, RunSummary } from '../../../src/domain/runs/run.ts';
import { fakeClock } from '../../support/fakes/clock.ts';
import { quietApp } from '../../support/running/app.ts';
import { openTestStore } from '../../support/running/store.ts';
import { writerIn } from '../../support/records/principal.ts';

const now = Date.parse('2026-03-30T12:00:00Z');

/** What differs between runs here. */
interface Kept {
  at: number;
  source: Run['source'];
  status: RunStatus;
}

async function setup(t: TestContext) {
  const { store, workspaceId, addJob } = await openTestStore(t);
  const app = quietApp({ store, clock: fakeClock('2026-03-30T12:00:00Z') });
  const principal = writerIn(workspaceId);
  /** Puts runs of a job into the store. */
  const keep = async (jobId: string, runs: readonly Kept[]): Promise<void> => {
    await store.write(async (tx) => {
      for (const { at, source, status } of runs) {
        const isCalled = status !== 'queued' && status !== 'missed';
        const isOver = isCalled && status !== 'running';
        const isBad = status === 'missed' || (isOver && status !== 'success');
        await tx
          .insertInto('runs')
          .values({
            id: newId(at),
            job_id: jobId,
            workspace_id: workspaceId,
            source,
            status,
            scheduled_for: at,
            started_at: isCalled ? at : null,
            finished_at: isOver ? at + 7 : null,
            duration_ms: isOver && status !== 'interrupted' ? 7 : null,
            http_status: status === 'success' ? 200 : null,
            response_body: status === 'success' ? 'ok' : null,
            reason: isBad ? ('http' as const) : null,
            ...(status === 'missed' && { last_due_at: at, missed_count: 1 }),
          })
          .execute();
      }
    });
  };
  return { app, principal, addJob, keep };
}

const all = { statuses: null, before: null, limit: 100, cursor: null };

function summaryOf(run: Run): RunSummary {
  const { jobId: _, responseBody: _body, truncated: _truncated, ...summary } = run;
  return summary;
}

const keptRuns = fc
  .uniqueArray(
    fc.record({
      // Few moments, so that scheduled and manual runs share some.
      at: fc.integer({ min: 0, max: 20 }).map((minute) => now - minute * 60_000),
      source: fc.constantFrom('scheduled' as const, 'manual' as const),
      status: fc.constantFrom(...runStatuses),
    }),
    { maxLength: 30, selector: ({ at, source }) => `${at} ${source}` },
  )
  .map((runs) =>
    runs.filter(({ source, status }) => status !== (source === 'manual' ? 'missed' : 'queued')),
  );

test('pages of a history are the runs of the list with these statuses, in its order', async (t) => {
  const { app, principal, addJob, keep } = await setup(t);
  const asked = fc.record({
    statuses: fc.option(fc.subarray(runStatuses, { minLength: 1 })),
    before: fc.option(fc.integer({ min: 0, max: 20 }).map((minute) => now - minute * 60_000)),
    limit: fc.integer({ min: 1, max: 12 }),
  });
  await fc.assert(
    fc.asyncProperty(keptRuns, asked, async (runs, { statuses, before, limit }) => {
      const { id } = await addJob();
      await keep(id, runs);
      const { items: listed } = await listRuns(app, principal, id, { limit: 100, cursor: null });
      const expected = listed
        .filter(({ status }) => statuses?.includes(status) ?? true)
        .filter(({ scheduledFor }) => before === null || scheduledFor < before);
      const found: RunSummary[] = [];
      let cursor: string | null = null;
      for (let page = 0; page === 0 || cursor !== null; page += 1) {
        assert.ok(page < 40, 'the pages end');
        const request = { statuses, before, limit, cursor };
        const answer = await listHistory(app, principal, id, request);
        assert.equal(answer.isPartial, false);
        assert.ok(answer.items.length <= limit);
        found.push(...answer.items);
        cursor = answer.nextCursor;
      }
      assert.deepEqual(found, expected.map(summaryOf));
    }),
    { numRuns: 60 },
  );
});

test('a search stops after 10,000 runs, says so, and continues with its cursor', async (t) => {
  const { app, principal, addJob, keep } = await setup(t);
  const { id } = await addJob({ scheduleType: 'period', periodSeconds: 60, timezone: 'UTC' });
  const statuses = new Map<number, RunStatus>([
    [10_010, 'failed'],
    [10_020, 'running'],
  ]);
  const runs = Array.from({ length: 10_050 }, (_, index): Kept => {
    const status = statuses.get(index) ?? 'success';
    return { at: now - index * 60_000, source: 'scheduled', status };
  });
  await keep(id, runs);
  const search = async (status: RunStatus, cursor: string | null = null) =>
    await listHistory(app, principal, id, { ...all, statuses: [status], cursor });

  const first = await search('running');
  assert.deepEqual([first.items.length, first.isPartial], [0, true]);
  const second = await search('running', first.nextCursor);
  assert.deepEqual(
    [second.items.map(({ scheduledFor }) => scheduledFor), second.isPartial, second.nextCursor],
    [[now - 10_020 * 60_000], false, null],
  );
  const failed = await search('failed');
  assert.deepEqual([failed.items.length, failed.isPartial], [1, false], 'they have an index');
  const succeeded = await search('success');
  assert.deepEqual([succeeded.items.length, succeeded.isPartial], [100, false]);

  const { days, since, isPartial } = await listDays(app, principal, id, 366);
  assert.deepEqual([isPartial, since], [true, now - 9_999 * 60_000]);
  assert.equal(days[0]?.date, new Date(since ?? 0).toISOString().slice(0, 10));
  const counted = days.reduce((sum, day) => sum + day.success, 0);
  assert.equal(counted, 10_000);
  const three = await listDays(app, principal, id, 3);
  assert.deepEqual([three.isPartial, three.since], [false, now - 10_049 * 60_000]);
  assert.deepEqual(three.days, days.slice(-3), 'fewer days are whole');
});

test('a job that never ran has no days; one that ran has those since its oldest run', async (t) => {
  const { app, principal, addJob, keep } = await setup(t);
  const { id } = await addJob({ timezone: 'Pacific/Apia' });
  assert.deepEqual(await listDays(app, principal, id, 30), {
    days: [],
    since: null,
    isPartial: false,
  });
  const at = Date.parse('2026-03-29T09:59:00Z');
  await keep(id, [{ at, source: 'manual', status: 'success' }]);
  const { days, since } = await listDays(app, principal, id, 30);
  assert.equal(since, at);
  assert.deepEqual(each(days, 'date', 'success'), [
    ['2026-03-29', 1],
    ['2026-03-30', 0],
    ['2026-03-31', 0],
  ]);
});

test('a cursor of the list of runs is none of the history', async (t) => {
  const { app, principal, addJob, keep } = await setup(t);
  const { id } = await addJob();
  await keep(id, [
    { at: now, source: 'manual', status: 'success' },
    { at: now - 1, source: 'manual', status: 'success' },
  ]);
  const { nextCursor: cursor } = await listRuns(app, principal, id, { limit: 1, cursor: null });
  assert.notEqual(cursor, null);
  await assert.rejects(listHistory(app, principal, id, { ...all, cursor }), {
    message: /^cursor must be a nextCursor of this list/,
  });
});
