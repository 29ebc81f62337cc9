/** What a report reads, and what it says of a history that is not whole (docs/behavior.md#month-2). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { newId } from '../../../src/domain/id.ts';
import { workspaceOf } from '../../../src/store/runs/runs.ts';
import { removeUpTo } from '../../support/checks/history.ts';
import { startClockedDaemon } from '../../support/running/daemon.ts';
import { openTestLocal } from '../../support/running/local.ts';

const minute = 60_000;
const rare = { url: 'http://127.0.0.1:1/', cronExpr: '0 3 1 1 *', timezone: 'UTC', paused: true };
const left = ({ headers }: { headers: Headers }): number =>
  Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);

test('a page ends after 20,000 runs, and each 5,000 count as a request; removed runs are said', async (t) => {
  const { clock, ask, dataDir } = await startClockedDaemon(t, '2026-03-02T10:00:00Z');
  await using local = await openTestLocal(dataDir, clock);
  const make = async (name: string): Promise<string> => {
    return (await ask('POST', '/jobs', { ...rare, name })).body.job.id;
  };
  const [few, many] = [await make('few'), await make('many')];
  const begin = Date.parse('2026-02-01T00:00:00Z');
  const rows = Array.from({ length: 20_000 }, (_, index) => {
    const at = begin + index * minute;
    const run = { id: newId(at), job_id: many, scheduled_for: at, started_at: at, finished_at: at };
    const ended = {
      source: 'manual',
      status: 'success',
      http_status: 200,
      duration_ms: 0,
    } as const;
    return { ...run, ...ended, workspace_id: workspaceOf(sql.val(many)) };
  });
  await local.store.write(async (tx) => {
    for (let at = 0; at < rows.length; at += 1_000) {
      await tx
        .insertInto('runs')
        .values(rows.slice(at, at + 1_000))
        .execute();
    }
    const counted = tx.updateTable('jobs').set({ total_success: rows.length });
    await counted.where('id', '=', many).execute();
  });
  const month = '/report/jobs?month=2026-02';
  const before = await ask('GET', '/jobs');
  const first = await ask('GET', month);
  assert.deepEqual(
    first.body.jobs.map(({ name, success, others, countedFrom }: Record<string, unknown>) => [
      name,
      success,
      others,
      countedFrom,
    ]),
    [['many', 20_000, 20_000, null]],
  );
  assert.equal(left(before) - left(first), 4, '20,000 runs');
  const cursor = encodeURIComponent(first.body.nextCursor);
  const { body } = await ask('GET', `${month}&cursor=${cursor}`);
  assert.deepEqual([body.jobs.length, body.jobs[0].id, body.nextCursor], [1, few, null]);

  const beginning = {
    jobId: many,
    scheduledFor: begin + 9_999 * minute,
    source: 'manual',
  } as const;
  await local.store.write((tx) => removeUpTo(tx, beginning));
  const [cut] = (await ask('GET', month)).body.jobs;
  const countedFrom = new Date(beginning.scheduledFor).toISOString();
  assert.deepEqual([cut.success, cut.countedFrom], [10_000, countedFrom]);
});

test('a report reads no bodies: its pages do not end for them', async (t) => {
  const { ask } = await startClockedDaemon(t, '2026-03-02T10:00:00Z');
  const body = '\u0001'.repeat(32_768);
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
  for (const name of names) await ask('POST', '/jobs', { ...rare, method: 'POST', body, name });
  const listed = (await ask('GET', '/jobs?limit=7')).body;
  assert.ok(listed.jobs.length < 7 && listed.nextCursor !== null);
  const { jobs, nextCursor } = (await ask('GET', '/report/jobs?month=2026-02&limit=7')).body;
  assert.deepEqual(
    jobs.map(({ name }: { name: string }) => name),
    names.toReversed(),
  );
  assert.equal(nextCursor, null);
});
