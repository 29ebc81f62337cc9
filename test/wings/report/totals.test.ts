/** The numbers of reports are those of lists and of the ledger (docs/behavior.md#month-1). */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { sql } from 'kysely';
import { listReceipts, reportJobs, type JobReport } from '../../../src/wings/report/report.ts';
import { readMonth } from '../../../src/wings/report/month.ts';
import { checkLedgerPage } from '../../../src/wings/ledger/entries.ts';
import { newId } from '../../../src/domain/id.ts';
import { workspaceOf } from '../../../src/store/runs/runs.ts';
import { rollDice } from '../../support/dice.ts';
import { writerIn } from '../../support/records/principal.ts';
import { quietApp } from '../../support/running/app.ts';
import { simulateService, type SimulatedService } from '../../support/simulated/service.ts';

const hour = 3_600_000;
const day = 24 * hour;
const page = { limit: 100, cursor: null, selector: null };
const timezone = 'Europe/Berlin';

/** The report of each of these months. */
async function reportsOf({ store, clock, workspaceId }: SimulatedService, months: string[]) {
  const app = quietApp({ store, clock });
  const reports = await Promise.all(
    months.map((name) => {
      const month = readMonth(name, timezone, clock.now());
      return reportJobs(app, writerIn(workspaceId), { ...page, month });
    }),
  );
  return reports.map(({ items }) => items);
}

/** Some of the runs failed, were interrupted, were asked for, or have a receipt. */
async function stir({ store: { db } }: SimulatedService, random: () => number): Promise<void> {
  const runs = await db.selectFrom('runs').select(['id', 'status']).execute();
  for (const { id, status } of runs) {
    if (status === 'missed' || random() < 0.7) continue;
    const bad = random() < 0.5 ? ('failed' as const) : ('interrupted' as const);
    const outcome =
      bad === 'failed'
        ? { status: bad, reason: 'http' as const }
        : { status: bad, reason: 'cut_off' as const, http_status: null, duration_ms: null };
    await db.updateTable('runs').set(outcome).where('id', '=', id).execute();
    if (bad === 'interrupted') continue;
    await db
      .insertInto('receipts')
      .values({ run_id: id, receipt: `{"of":"${id}"}` })
      .execute();
  }
}

async function addByHand({ store: { db } }: SimulatedService, jobId: string, at: number) {
  const run = { id: newId(at), job_id: jobId, scheduled_for: at, started_at: at, finished_at: at };
  const ended = { source: 'manual', status: 'success', http_status: 200, duration_ms: 0 } as const;
  const workspace_id = workspaceOf(sql.val(jobId));
  await db
    .insertInto('runs')
    .values({ ...run, ...ended, workspace_id })
    .execute();
}

async function liveThrough(t: TestContext): Promise<SimulatedService> {
  const random = rollDice(t);
  const service = await simulateService(t, '2026-09-20T10:00:00Z');
  const ids = [
    await service.addJob({ cronExpr: '30 2 * * *', timezone }),
    await service.addJob({ cronExpr: '5 */3 * * *', timezone: 'Asia/Kolkata' }),
    await service.addJob({ scheduleType: 'period', cronExpr: null, periodSeconds: 5_400 }),
  ];
  const end = Date.parse('2026-12-03T00:00:00Z');
  let byHand = 0;
  // Each misses a few, whatever is rolled.
  await service.serveUntil(service.clock.now() + day);
  await service.setClock(service.clock.now() + 2 * day);
  while (service.clock.now() < end) {
    const now = service.clock.now();
    const id = ids[Math.floor(random() * ids.length)] ?? '';
    const dice = random();
    if (dice < 0.2) await service.setClock(now + Math.floor(random() * 3 * day));
    else if (dice < 0.3) await service.act(id, 'pause');
    else if (dice < 0.5) await service.act(id, 'resume');
    else if (dice < 0.6) await addByHand(service, id, now + ++byHand);
    else await service.serveUntil(now + Math.floor(random() * 6 * day));
  }
  // Due times of an outage over the end of a month are in two of them.
  await service.setClock(service.clock.now() + hour);
  await service.serveUntil(service.clock.now() + hour);
  await stir(service, random);
  return service;
}

test('the months of a history add up to its lists, and each has the due times of the ledger', async (t) => {
  const service = await liveThrough(t);
  const { store, clock, workspaceId } = service;
  const months = ['2026-09', '2026-10', '2026-11', '2026-12'];
  const reports = await reportsOf(service, months);
  const jobs = reports[0]?.map(({ job }) => job) ?? [];
  assert.equal(jobs.length, 3);
  for (const { id } of jobs) {
    const own = reports.map((items) => items.find(({ job }) => job.id === id));
    const sum = (of: (report: JobReport) => number): number =>
      own.reduce((all, report) => all + (report === undefined ? 0 : of(report)), 0);
    const rows = store.db.selectFrom('runs').where('job_id', '=', id);
    const facts = await rows
      .select((of) => [
        sql<number>`count(case when status = 'success' then 1 end)`.as('success'),
        sql<number>`count(case when status = 'failed' then 1 end)`.as('failed'),
        sql<number>`count(case when status = 'interrupted' then 1 end)`.as('interrupted'),
        sql<number>`count(case when source = 'manual' then 1 end)`.as('others'),
        of.fn.coalesce(of.fn.sum<number>('missed_count'), sql.lit(0)).as('missed'),
      ])
      .executeTakeFirstOrThrow();
    assert.equal(
      sum(({ success }) => success),
      facts.success,
    );
    assert.equal(
      sum(({ failed }) => failed),
      facts.failed,
    );
    assert.equal(
      sum(({ interrupted }) => interrupted),
      facts.interrupted,
    );
    assert.equal(
      sum(({ others }) => others),
      facts.others,
    );
    assert.equal(
      sum(({ missed }) => missed),
      facts.missed,
    );
    assert.ok(facts.missed > 0);
    for (const [index, report] of own.entries()) {
      assert.ok(report);
      const { due, missed, success, failed, interrupted, others, unaccounted } = report;
      const { from, until } = readMonth(months[index], timezone, clock.now());
      const asked = { workspaceId, jobId: id, after: from - 1, until: until - 1, limit: 1 };
      const { jobs: ledgers, next } = await checkLedgerPage({ store, clock }, asked, null);
      assert.equal(next, null);
      const [ledger] = ledgers;
      assert.ok(ledger);
      assert.equal(missed, ledger.missed);
      assert.equal(success + failed + interrupted - others, ledger.called, months[index]);
      assert.equal(due, ledger.called + ledger.missed + ledger.waiting);
      assert.equal(unaccounted, 0);
    }
  }
});

test('the receipts of a month are as many as its report says, and each is of one month', async (t) => {
  const service = await liveThrough(t);
  const { store, clock, workspaceId } = service;
  const app = quietApp({ store, clock });
  const months = ['2026-09', '2026-10', '2026-11', '2026-12'];
  const seen = new Set<string>();
  for (const [index, items] of (await reportsOf(service, months)).entries()) {
    const month = readMonth(months[index], timezone, clock.now());
    for (const { job, receipts } of items) {
      const texts: string[] = [];
      let cursor: string | null = null;
      for (let pages = 0; pages === 0 || cursor !== null; pages += 1) {
        assert.ok(pages < 100);
        const asked = { limit: 70, cursor, month };
        const found = await listReceipts(app, writerIn(workspaceId), job.id, asked);
        texts.push(...found.items);
        cursor = found.nextCursor;
      }
      assert.equal(texts.length, receipts.success + receipts.failed);
      for (const text of texts) assert.ok(!seen.has(text));
      for (const text of texts) seen.add(text);
    }
  }
  const all = await store.db.selectFrom('receipts').select('receipt').execute();
  assert.deepEqual([...seen].toSorted(), all.map(({ receipt }) => receipt).toSorted());
});
