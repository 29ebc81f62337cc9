/** A job whose schedule changes again and again: its ledger is read in parts, and few of its schedules are kept. */

import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { test } from 'node:test';
import { checkLedger, countsByReason } from '../../../src/wings/ledger/accounted.ts';
import { checkLedgerPage } from '../../../src/wings/ledger/entries.ts';
import type { JobLedger, LedgerPage } from '../../../src/wings/ledger/entries.ts';
import { findJob } from '../../../src/store/jobs/jobs.ts';
import type { Db, Store } from '../../../src/store/database/store.ts';
import { ledgersIn, wrongIn } from '../../support/checks/ledger.ts';
import { fakeClock } from '../../support/fakes/clock.ts';
import { startTestDaemon } from '../../support/running/daemon.ts';
import { openTestLocal } from '../../support/running/local.ts';
import { openTestStore } from '../../support/running/store.ts';
import { simulateService } from '../../support/simulated/service.ts';

const minute = 60_000;
const begin = Date.parse('2026-01-10T00:02:00Z');

/** Schedules that end every ten minutes: in turn changed, with what they were due called or not, held, and paused for two minutes. */
function spansOf(jobId: string, count: number) {
  return Array.from({ length: count }, (_, index) => {
    const fromAt = begin + index * 10 * minute;
    const end_reason = (['changed', 'held', 'paused'] as const)[index % 3]!;
    return {
      job_id: jobId,
      from_at: fromAt,
      until_at: fromAt + (end_reason === 'paused' ? 4 : 10) * minute,
      next_due_at: fromAt + [13, 8, 8][index % 3]! * minute,
      held_until: end_reason === 'held' ? fromAt + 3 * minute : null,
      end_reason,
      schedule_type: 'cron' as const,
      cron_expr: '*/5 * * * *',
      timezone: 'UTC',
      anchor_at: 0,
    };
  });
}

async function addSpans(db: Db, jobId: string, count: number): Promise<void> {
  const rows = spansOf(jobId, count);
  for (let at = 0; at < count; at += 2_000) {
    await db
      .insertInto('schedule_spans')
      .values(rows.slice(at, at + 2_000))
      .execute();
  }
}

async function pagesOf(store: Store, now: number): Promise<LedgerPage[]> {
  const asked = { workspaceId: null, jobId: null, after: 0, until: null, limit: 50 };
  const pages: LedgerPage[] = [];
  do {
    const from = pages.at(-1)?.next ?? null;
    pages.push(await checkLedgerPage({ store, clock: fakeClock(now) }, asked, from));
  } while (pages.at(-1)?.next !== null);
  return pages;
}

function timesIn(lists: readonly { count: number }[]): number {
  return lists.reduce((all, { count }) => all + count, 0);
}

function leftIn({ headers }: { headers: Headers }): number {
  return Number(/;r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);
}

function sumOf(parts: readonly Omit<JobLedger, 'id' | 'name' | 'keptFrom'>[]) {
  const sum = (of: (part: (typeof parts)[number]) => number) =>
    parts.reduce((all, part) => all + of(part), 0);
  return {
    called: sum(({ called }) => called),
    waiting: sum(({ waiting }) => waiting),
    changed: sum(({ explained }) => countsByReason(explained).changed),
    held: sum(({ explained }) => countsByReason(explained).held),
    paused: sum(({ explained }) => countsByReason(explained).paused),
    unaccounted: sum(({ unaccounted }) => timesIn(unaccounted)),
  };
}

test('what is read in parts is what all schedules say together', async (t) => {
  const { store, addJob, workspaceId } = await openTestStore(t);
  const { id } = await addJob();
  await store.db.deleteFrom('schedule_spans').execute();
  await addSpans(store.db, id, 2_600);
  const now = begin + 2_600 * 10 * minute;
  const job = await findJob(store.db, workspaceId, id);
  const spans = spansOf(id, 2_600).map((row) => ({
    fromAt: row.from_at,
    untilAt: row.until_at,
    nextDueAt: row.next_due_at,
    heldUntil: row.held_until,
    endReason: row.end_reason,
    scheduleType: row.schedule_type,
    cronExpr: row.cron_expr,
    timezone: row.timezone,
    periodSeconds: null,
    anchorAt: 0,
    adjustments: null,
  }));
  const period = { after: 0, until: Number.MAX_SAFE_INTEGER, now };
  const whole = checkLedger({ ...period, nextRunAt: job?.nextRunAt ?? null, spans, runs: [] });
  const pages = await pagesOf(store, now);
  const sums = sumOf(pages.flatMap(({ jobs }) => jobs));
  assert.deepEqual(sums, sumOf([whole]));
  assert.ok(sums.held > 0 && sums.paused > 0 && sums.unaccounted > 0);
});

test('a page ends with the schedules that it has read, in steps', async (t) => {
  const { store, addJob } = await openTestStore(t);
  await addSpans(store.db, (await addJob()).id, 24_000);
  let turns = 0;
  const over = new AbortController();
  const counting = (async () => {
    for (; !over.signal.aborted; turns += 1) await setImmediate();
  })();
  const pages = await pagesOf(store, begin);
  over.abort();
  await counting;
  assert.equal(pages.length, 2);
  for (const { read } of pages) assert.ok(read <= 21_002, `${read} were read for a page`);
  assert.ok(turns >= 24, `${turns} turns of the event loop`);
});

test('a page of many schedules counts as several requests', async (t) => {
  const { ask, dataDir } = await startTestDaemon(t);
  const input = { name: 'backup', url: 'http://127.0.0.1:1/', periodSeconds: 3_600, paused: true };
  const { id } = (await ask('POST', '/jobs', { ...input, scheduleType: 'period' })).body.job;
  await using local = await openTestLocal(dataDir);
  await addSpans(local.store.db, id, 24_000);
  const before = await ask('GET', '/jobs');
  const first = await ask('GET', '/ledger?since=2026-01-10T00:00:00Z');
  const second = await ask(
    'GET',
    `/ledger?since=2026-01-10T00:00:00Z&cursor=${first.body.nextCursor}`,
  );
  assert.deepEqual([first.status, second.status, second.body.nextCursor], [200, 200, null]);
  assert.deepEqual([leftIn(before) - leftIn(first), leftIn(first) - leftIn(second)], [5, 1]);
});

test('of schedules that were never due, two of a minute are kept', async (t) => {
  const service = await simulateService(t, '2026-01-10T00:00:00Z');
  const id = await service.addJob({ scheduleType: 'period', cronExpr: null, periodSeconds: 3_600 });
  for (let second = 1; second <= 180; second += 1) {
    service.clock.advance(1_000);
    if (second % 3 > 0) await service.change(id, { periodSeconds: 3_600 + second });
    else for (const action of ['pause', 'resume'] as const) await service.act(id, action);
  }
  const spans = await service.store.db.selectFrom('schedule_spans').selectAll().execute();
  assert.ok(spans.length <= 9, `${spans.length} are kept`);
  assert.deepEqual(wrongIn(await ledgersIn(service.store.db, service.clock)), []);
});

test('whatever is due between changes is accounted for, as it was called', async (t) => {
  const service = await simulateService(t, '2026-01-10T00:00:00Z');
  const id = await service.addJob({ cronExpr: '* * * * *' });
  for (let change = 1; change <= 200; change += 1) {
    await service.serveUntil(service.clock.now() + ((change * 7) % 23) * 1_000);
    if (change % 5 === 0)
      for (const act of ['pause', 'resume'] as const) await service.act(id, act);
    else
      await service.change(id, {
        cronExpr: ['* * * * *', '*/2 * * * *', '1-59/2 * * * *'][change % 3]!,
      });
  }
  await service.serveUntil(service.clock.now() + minute);
  const jobs = await ledgersIn(service.store.db, service.clock);
  assert.deepEqual(wrongIn(jobs), []);
  const runs = await service.store.db.selectFrom('runs').select('id').execute();
  assert.equal(jobs[0]?.called, runs.length);
});

test('what is read for somebody who leaves ends at its next step', async (t) => {
  const { store, addJob } = await openTestStore(t);
  await addSpans(store.db, (await addJob()).id, 5_000);
  const left = new AbortController();
  let steps = 0;
  const db = new Proxy(store.db, {
    get(target, name) {
      if (name === 'selectFrom' && (steps += 1) === 6) left.abort();
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const asked = { workspaceId: null, jobId: null, after: 0, until: null, limit: 50 };
  const reading = checkLedgerPage(
    { store: { db }, clock: fakeClock(begin) },
    { ...asked, signal: left.signal },
    null,
  );
  await assert.rejects(reading, { name: 'AbortError' });
  assert.ok(steps < 10, `${steps} statements`);
});
