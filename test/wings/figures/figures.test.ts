/** How often the runs of a job succeeded, and how long they took (docs/monitoring.md#figures-of-a-job). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { rateText } from '../../../src/domain/runs/rate.ts';
import { newId } from '../../../src/domain/id.ts';
import { everyRun, workspaceOf } from '../../../src/store/runs/runs.ts';
import { figuresOf } from '../../../src/wings/figures/figures.ts';
import { assertRefused } from '../../support/checks/answer.ts';
import { rollDice } from '../../support/dice.ts';
import { each } from '../../support/each.ts';
import { writerIn } from '../../support/records/principal.ts';
import { quietApp } from '../../support/running/app.ts';
import { runCommand } from '../../support/running/command.ts';
import { startTestDaemon } from '../../support/running/daemon.ts';
import { simulateService, type SimulatedService } from '../../support/simulated/service.ts';

const hour = 3_600_000;
const day = 24 * hour;

/** Outcomes and durations of the runs of a job from a time on, counted one by one. */
async function countedOneByOne({ store }: SimulatedService, jobId: string, from: number) {
  const runs = await store.db
    .selectFrom(everyRun)
    .select(['status', 'missed_count', 'duration_ms'])
    .where('job_id', '=', jobId)
    .where('scheduled_for', '>=', from)
    .execute();
  const counts = { success: 0, failed: 0, interrupted: 0, missed: 0 };
  for (const { status, missed_count } of runs) {
    if (status === 'queued' || status === 'running') continue;
    counts[status] += missed_count ?? 1;
  }
  const durations = runs.flatMap(({ duration_ms: ms }) => (ms === null ? [] : [ms]));
  return { ...counts, durations: durations.toSorted((one, other) => one - other) };
}

test('figures are those of the runs, counted one by one', async (t) => {
  const random = rollDice(t);
  const service = await simulateService(t, '2026-10-20T10:00:00Z');
  const { store, clock, workspaceId } = service;
  const { db } = store;
  const id = await service.addJob({ cronExpr: '*/20 * * * *', timezone: 'UTC' });
  for (let step = 0; step < 30; step += 1) {
    const now = clock.now();
    const dice = random();
    if (dice < 0.3) await service.setClock(now + Math.floor(random() * 5 * hour));
    else if (dice < 0.4) await service.act(id, 'pause');
    else if (dice < 0.5) await service.act(id, 'resume');
    await service.serveUntil(now + Math.floor(random() * 2 * day));
  }
  for (const run of await db.selectFrom('runs').select(['id', 'status']).execute()) {
    if (run.status !== 'success') continue;
    const duration_ms = Math.floor(random() * 60_000);
    const outcome =
      random() < 0.8
        ? { duration_ms }
        : random() < 0.5
          ? { duration_ms, status: 'failed' as const, reason: 'http' as const }
          : {
              duration_ms: null,
              http_status: null,
              status: 'interrupted' as const,
              reason: 'cut_off' as const,
            };
    await db.updateTable('runs').set(outcome).where('id', '=', run.id).execute();
  }
  const queued = { source: 'manual', status: 'queued', scheduled_for: clock.now() } as const;
  await db
    .insertInto('runs')
    .values({ id: newId(1), job_id: id, workspace_id: workspaceOf(sql.val(id)), ...queued })
    .execute();

  const app = quietApp({ store, clock });
  const periods = await figuresOf(app, writerIn(workspaceId), id);
  assert.deepEqual(each(periods, 'days', 'countedFrom'), [
    [1, null],
    [7, null],
    [30, null],
  ]);
  for (const { days, durations, countedFrom: _, ...counts } of periods) {
    const { durations: all, ...expected } = await countedOneByOne(
      service,
      id,
      clock.now() - days * day,
    );
    assert.deepEqual(counts, expected, `${days} days`);
    assert.equal(durations?.runs ?? 0, all.length);
    if (durations === null) continue;
    for (const [share, ms] of [
      [0.5, durations.p50Ms],
      [0.95, durations.p95Ms],
      [0.99, durations.p99Ms],
    ] as const) {
      assert.ok(all.filter((one) => one <= ms).length >= share * all.length);
      assert.ok(all.filter((one) => one < ms).length < share * all.length);
    }
  }

  const removedBy = clock.now() - 3 * day;
  await db.deleteFrom('runs').where('scheduled_for', '<=', removedBy).execute();
  await db.updateTable('jobs').set({ history_from: removedBy }).where('id', '=', id).execute();
  const kept = await figuresOf(app, writerIn(workspaceId), id);
  assert.deepEqual(each(kept, 'countedFrom'), [null, removedBy + 1, removedBy + 1]);
});

test('a rate is rounded down, so that 100 % means all', () => {
  const none = { success: 0, failed: 0, interrupted: 0, missed: 0 };
  assert.equal(rateText(none), null);
  assert.equal(rateText({ ...none, success: 3 }), '100.00 %');
  assert.equal(rateText({ ...none, success: 199_999, missed: 1 }), '99.99 %');
  assert.equal(rateText({ ...none, failed: 1 }), '0.00 %');
});

test('the command shows a line for each period; jobs of others are not there', async (t) => {
  const daemon = await startTestDaemon(t);
  const { ask } = daemon;
  const rare = { name: 'rare', url: 'http://127.0.0.1:1/', cronExpr: '0 0 1 1 *' };
  const { id } = (await ask('POST', '/jobs', rare)).body.job;
  const env = { JOBD_URL: daemon.url, JOBD_API_KEY: daemon.key };
  const printed = await runCommand(['figures', 'rare'], env);
  assert.equal(printed.stderr, '');
  assert.deepEqual(
    printed.stdout.trimEnd().split('\n'),
    ['1', '7', '30'].map((days) => `${days}\t-\t0\t0\t0\t0\t-\t-\t-\t-`),
  );
  const { periods } = (await ask('GET', `/jobs/${id}/figures`)).body;
  assert.deepEqual(
    periods.map(({ rate, durations }: { rate: null; durations: null }) => [rate, durations]),
    Array.from({ length: 3 }, () => [null, null]),
  );
  const many = Array.from({ length: 20 }, () => ask('GET', `/jobs/${id}/figures`));
  for (const { status } of await Promise.all(many)) assert.equal(status, 200);
  const unknown = '01a1fc58-a505-7000-bebc-059153f75def';
  assertRefused(await ask('GET', `/jobs/${unknown}/figures`), 404, /there is no job/);
});
