/** The ledger accounts for every due time of a service that works, and finds whatever was done to its records. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { sql } from 'kysely';
import { DateTime } from 'luxon';
import type { JobLedger } from '../../../src/wings/ledger/entries.ts';
import { nextDue } from '../../../src/domain/schedule/next.ts';
import { scheduleOf } from '../../../src/domain/schedule/schedule.ts';
import type { Db } from '../../../src/store/database/store.ts';
import { findJob } from '../../../src/store/jobs/jobs.ts';
import { insertQueuedRun } from '../../../src/store/runs/runs.ts';
import { removeUpTo } from '../../support/checks/history.ts';
import { ledgersIn, wrongIn } from '../../support/checks/ledger.ts';
import { queuedRun } from '../../support/records/run.ts';
import { simulateService, type SimulatedService } from '../../support/simulated/service.ts';
import { sqliteTest } from '../../support/running/sqlite.ts';
import { rollDice } from '../../support/dice.ts';
import { each } from '../../support/each.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** With their changes of the year 2026, as far as they have two. */
const zones = [
  'Europe/Berlin',
  'Europe/London',
  'America/New_York',
  'America/Los_Angeles',
  'America/Santiago',
  'America/Havana',
  'Australia/Sydney',
  'Australia/Lord_Howe',
  'Pacific/Auckland',
  'Africa/Cairo',
  'Asia/Beirut',
  'Antarctica/Troll',
];

function iso(at: number): string {
  return new Date(at).toISOString();
}

/** When the offset of a zone changes in 2026, in epoch milliseconds. */
function changesOf(zone: string): number[] {
  const offsetAt = (at: number) => DateTime.fromMillis(at, { zone }).offset;
  const changes: number[] = [];
  for (let at = Date.UTC(2026, 0, 1); at < Date.UTC(2027, 0, 1); at += hour) {
    if (offsetAt(at) !== offsetAt(at - hour)) changes.push(at);
  }
  return changes;
}

for (const zone of zones) {
  // One database is enough: it is the arithmetic that differs.
  sqliteTest(
    `two weeks around each change of the clocks in ${zone}: every due time is accounted for`,
    async (t) => {
      const changes = changesOf(zone);
      assert.equal(changes.length, 2);
      for (const changeAt of changes) {
        const service = await simulateService(t, iso(changeAt - 7 * day));
        const [nightly, quarterly] = [
          await service.addJob({ cronExpr: '30 2 * * *', timezone: zone }),
          await service.addJob({ cronExpr: '*/15 0-3 * * *', timezone: zone }),
        ];
        await service.addJob({ cronExpr: '5 * * * *', timezone: zone });
        await service.addJob({ scheduleType: 'period', cronExpr: null, periodSeconds: 5_400 });
        await service.serveUntil(changeAt - 26 * hour);
        await service.act(quarterly, 'pause');
        await service.serveUntil(changeAt - 20 * hour);
        await service.act(quarterly, 'resume');
        await service.serveUntil(changeAt + 5 * hour);
        await service.change(nightly, { cronExpr: '45 1 * * *' });
        await service.serveUntil(changeAt + 2 * day);
        // It does not run for a day and a half.
        await service.setClock(changeAt + 3.5 * day);
        await service.serveUntil(changeAt + 7 * day);
        const jobs = await ledgersIn(service.store.db, service.clock);
        assert.deepEqual(wrongIn(jobs), []);
        const sum = (of: (job: JobLedger) => number) => jobs.reduce((all, job) => all + of(job), 0);
        assert.ok(sum(({ called }) => called) > 500, `${sum(({ called }) => called)} calls`);
        assert.ok(sum(({ missed }) => missed) > 40);
        assert.equal(
          jobs.flatMap(({ explained }) => explained).find(({ reason }) => reason === 'paused')
            ?.count,
          await pausedDueTimes(service, quarterly, changeAt),
        );
      }
    },
  );
}

/** Due times of a job in the six hours in which it was paused. */
async function pausedDueTimes(
  { store, workspaceId }: SimulatedService,
  id: string,
  changeAt: number,
): Promise<number | undefined> {
  const job = await findJob(store.db, workspaceId, id);
  assert.ok(job);
  let count = 0;
  const schedule = scheduleOf(job);
  for (let due = nextDue(schedule, changeAt - 26 * hour); due !== null;) {
    if (due > changeAt - 20 * hour) break;
    count += 1;
    due = nextDue(schedule, due);
  }
  return count === 0 ? undefined : count;
}

test('a clock that is set ahead and back leaves nothing unaccounted for', async (t) => {
  const service = await simulateService(t, '2026-03-02T10:00:00Z');
  const id = await service.addJob({ cronExpr: '*/5 * * * *', timezone: 'UTC' });
  const start = service.clock.now();
  await service.serveUntil(start + 2 * hour);
  await service.setClock(start + 12 * hour);
  await service.serveUntil(start + 12.5 * hour);
  await service.setClock(start + 2.5 * hour);
  await service.serveUntil(start + 3 * hour);
  await service.change(id, { cronExpr: '*/7 * * * *' });
  await service.serveUntil(start + 15 * hour);
  assert.deepEqual(wrongIn(await ledgersIn(service.store.db, service.clock)), []);
});

test('a one-time job that a clock ahead called is accounted for before its time has come', async (t) => {
  const service = await simulateService(t, '2026-03-02T10:00:00Z');
  const start = service.clock.now();
  await service.addJob({ cronExpr: null, runAt: '2026-03-02T12:00:00Z', timezone: 'UTC' });
  await service.setClock(start + 1.9 * hour);
  await service.serveUntil(start + 2.1 * hour);
  await service.setClock(start + 1 * hour);
  await service.serveUntil(start + 1.1 * hour);
  const jobs = await ledgersIn(service.store.db, service.clock);
  assert.deepEqual(wrongIn(jobs), []);
  assert.deepEqual(each(jobs, 'called'), [1]);
});

for (const [what, backTo] of [
  ['to before what it missed', 2.5],
  ['into what it missed', 6],
] as const) {
  test(`jobs that a clock ahead changed and paused are accounted for, once it is set back ${what}`, async (t) => {
    const service = await simulateService(t, '2026-03-02T10:00:00Z');
    const { store, clock } = service;
    const changed = await service.addJob({ cronExpr: '*/5 * * * *', timezone: 'UTC' });
    const paused = await service.addJob({ cronExpr: '*/5 * * * *', timezone: 'UTC' });
    const start = clock.now();
    await service.serveUntil(start + 2 * hour);
    await service.setClock(start + 12 * hour);
    await service.serveUntil(start + 12.5 * hour);
    await service.change(changed, { cronExpr: '0 */3 * * *' });
    await service.act(paused, 'pause');
    await service.serveUntil(start + 13 * hour);
    await service.setClock(start + backTo * hour);
    await service.serveUntil(start + (backTo + 1) * hour);
    await service.act(paused, 'resume');
    await service.serveUntil(start + 15 * hour);
    const ledgers = await ledgersIn(store.db, clock);
    assert.deepEqual(wrongIn(ledgers), []);
    // An hour of pause, and nothing else.
    const skipped = ledgers.find(({ id }) => id === paused);
    assert.deepEqual(each(skipped?.explained ?? [], 'reason', 'count'), [['paused', 12]]);
  });
}

test('what a clock missed is taken back by the schedule that it is of, not by one of an earlier fast clock', async (t) => {
  const service = await simulateService(t, '2026-03-02T10:00:00Z');
  const { store, clock } = service;
  const id = await service.addJob({ cronExpr: '*/5 * * * *', timezone: 'UTC' });
  const start = clock.now();
  await service.serveUntil(start + hour);
  await service.act(id, 'pause');
  await service.change(id, { cronExpr: '*/7 * * * *' });
  await service.setClock(start + 2 * hour);
  await service.act(id, 'resume');
  await service.serveUntil(start + 2 * hour + minute);
  await service.act(id, 'pause');
  await service.setClock(start + hour);
  await service.change(id, { cronExpr: '*/5 * * * *' });
  await service.act(id, 'resume');
  await service.serveUntil(start + 3 * hour);
  await service.setClock(start + 12 * hour);
  await service.serveUntil(start + 12.5 * hour);
  await service.setClock(start + 6.1 * hour);
  await service.serveUntil(start + 13 * hour);
  assert.deepEqual(wrongIn(await ledgersIn(store.db, clock)), []);
});

test('an expired account is explained, also where it is renewed before any job was due', async (t) => {
  const service = await simulateService(t, '2026-03-02T10:00:00Z');
  const { store, clock } = service;
  await service.addJob({ cronExpr: '*/5 * * * *', timezone: 'UTC' });
  await service.addJob({ cronExpr: '0 0 * * *', timezone: 'UTC' });
  const start = clock.now();
  await service.serveUntil(start + hour);
  await sql`update accounts set plan = 'pro', expires_at = ${clock.now() + minute}`.execute(
    store.db,
  );
  await service.serveUntil(start + 3 * hour);
  const [often] = await ledgersIn(store.db, service.clock);
  assert.deepEqual(each(often?.explained ?? [], 'reason', 'count'), [['expired', 24]]);
  assert.deepEqual(wrongIn(await ledgersIn(store.db, service.clock)), []);
});

for (const what of ['makes up for', 'replays'])
  test(`a due time that a clock ahead missed, and a run ${what}, is not called once the clock is set back, and accounted for`, async (t) => {
    const service = await simulateService(t, '2026-03-02T10:00:00Z');
    const { store, clock } = service;
    const id = await service.addJob({ cronExpr: '*/5 * * * *', timezone: 'UTC' });
    const start = clock.now();
    await service.serveUntil(start + hour);
    await service.setClock(start + 12 * hour + 2 * minute);
    await service.serveUntil(start + 12 * hour + 3 * minute);
    const dueAt = start + 11 * hour;
    const run = { ...queuedRun(id, clock.now()), dueAt };
    await insertQueuedRun(store.db, run, null);
    const runs = store.db.updateTable('runs').where('id', '=', run.id);
    if (what === 'makes up for') await runs.set({ cause_job_id: id, cause_run_id: id }).execute();
    await service.setClock(start + 2 * hour);
    await service.serveUntil(start + 13 * hour);
    assert.deepEqual(wrongIn(await ledgersIn(store.db, clock)), []);
    const called = store.db.selectFrom('runs').select('id').where('source', '=', 'scheduled');
    assert.deepEqual(await called.where('scheduled_for', '=', dueAt).execute(), []);
  });

test('schedules that began at one renewal, before and after a clock was set back, explain each its runs', async (t) => {
  const service = await simulateService(t, '2026-03-02T10:00:00Z');
  const { store, clock } = service;
  const id = await service.addJob({ cronExpr: '*/5 * * * *', timezone: 'UTC' });
  const start = clock.now();
  await service.serveUntil(start + hour);
  await sql`update accounts set renewed_at = ${start + 2 * hour + 482}`.execute(store.db);
  for (const cronExpr of ['*/7 * * * *', '*/11 * * * *', '*/13 * * * *']) {
    await service.setClock(start + 3 * hour);
    await service.serveUntil(start + 4 * hour);
    await service.setClock(start + hour);
    await service.change(id, { cronExpr });
  }
  await service.serveUntil(start + 5 * hour);
  assert.deepEqual(wrongIn(await ledgersIn(store.db, clock)), []);
});

/** A service with outages, pauses and changes in its past; a month of it. */
async function eventfulService(t: TestContext): Promise<SimulatedService> {
  const service = await simulateService(t, '2026-03-09T10:00:00Z');
  const hourly = await service.addJob({ cronExpr: '20 * * * *', timezone: 'Europe/Berlin' });
  await service.addJob({ cronExpr: '*/20 * * * *', timezone: 'America/New_York' });
  await service.addJob({ scheduleType: 'period', cronExpr: null, periodSeconds: 4_000 });
  const start = service.clock.now();
  for (let week = 0; week < 4; week += 1) {
    const monday = start + week * 7 * day;
    await service.serveUntil(monday + 2 * day);
    await service.act(hourly, 'pause');
    await service.serveUntil(monday + 3 * day);
    await service.act(hourly, 'resume');
    await service.serveUntil(monday + 4 * day);
    await service.setClock(monday + 4 * day + 7 * hour);
    await service.serveUntil(monday + 6 * day);
    await service.change(hourly, { cronExpr: `${20 + week} * * * *` });
    await service.serveUntil(monday + 7 * day);
  }
  return service;
}

interface Victim {
  id: string;
  job_id: string;
  scheduled_for: number;
}

/** What somebody may do to the records. Each takes a run that was called, a missed one, and a random number. */
const manipulations: Record<
  string,
  (db: Db, called: Victim, missed: Victim, random: () => number) => Promise<unknown>
> = {
  'a run is deleted': (db, { id }) => sql`delete from runs where id = ${id}`.execute(db),
  'ten runs in a row are deleted': (db, { job_id, scheduled_for }) =>
    sql`delete from runs where id in (select id from runs where job_id = ${job_id}
      and scheduled_for >= ${scheduled_for} order by scheduled_for limit 10)`.execute(db),
  'a missed run is deleted': (db, _, { id }) => sql`delete from runs where id = ${id}`.execute(db),
  'a missed run stands for less': (db, _, { id }) =>
    sql`update runs set last_due_at = scheduled_for where id = ${id}`.execute(db),
  'a run is moved by a moment': (db, { id }) =>
    sql`update runs set scheduled_for = scheduled_for + 1 where id = ${id}`.execute(db),
  'a run is moved elsewhere': (db, { id }, _, random) =>
    sql`update runs set scheduled_for = scheduled_for + ${minute + Math.floor(random() * 600) * 1_000} where id = ${id}`.execute(
      db,
    ),
  'a run becomes a manual one': (db, { id }) =>
    sql`update runs set source = 'manual' where id = ${id}`.execute(db),
  'a run is there twice': (db, { id }) =>
    sql`insert into runs (id, job_id, workspace_id, source, status, scheduled_for, started_at, finished_at, http_status)
      select 'copy', job_id, workspace_id, source, status, scheduled_for + 61000, started_at, finished_at, http_status
      from runs where id = ${id}`.execute(db),
  'due times are skipped': (db, { job_id }, _, random) =>
    sql`update jobs set next_run_at = next_run_at + ${hour * (2 + Math.floor(random() * 100))} where id = ${job_id}`.execute(
      db,
    ),
  'a job is not due any more': (db, { job_id }) =>
    sql`update jobs set next_run_at = null where id = ${job_id}`.execute(db),
};

test('each of 50 manipulations is found', async (t) => {
  const random = rollDice(t);
  const service = await eventfulService(t);
  const { store, clock } = service;
  clock.advance(2 * hour);
  await service.serveUntil(clock.now());
  assert.deepEqual(wrongIn(await ledgersIn(store.db, service.clock)), []);
  const victims = async (where: ReturnType<typeof sql>): Promise<Victim[]> => {
    const { rows } = await sql<Victim>`
      select id, job_id, scheduled_for from runs where ${where} order by id`.execute(store.db);
    return rows;
  };
  const called = await victims(sql`status = 'success'`);
  const missed = await victims(sql`status = 'missed' and last_due_at > scheduled_for`);
  assert.ok(called.length > 2_000 && missed.length >= 8, `${called.length} and ${missed.length}`);
  const pick = (from: readonly Victim[]): Victim => {
    const victim = from[Math.floor(random() * from.length)];
    assert.ok(victim);
    return victim;
  };
  const names = Object.keys(manipulations);
  for (let index = 0; index < 50; index += 1) {
    const name = names[index % names.length] ?? '';
    const undone = new Error('undone');
    const found = store.write(async (tx) => {
      const target = pick(called);
      await manipulations[name]?.(tx, target, pick(missed), random);
      const wrong = wrongIn(await ledgersIn(tx, service.clock));
      assert.ok(wrong.length > 0, `${name}: ${target.id} of ${iso(target.scheduled_for)}`);
      throw undone;
    });
    await assert.rejects(found, undone);
  }
  assert.deepEqual(wrongIn(await ledgersIn(store.db, service.clock)), []);
});

test('what was removed because it was old is not missed', async (t) => {
  const service = await eventfulService(t);
  const { store } = service;
  const { rows } = await sql<{ jobId: string; scheduledFor: number }>`
    select job_id as "jobId", max(scheduled_for) as "scheduledFor" from runs
    where scheduled_for < ${Date.parse('2026-03-20T00:00:00Z')} group by job_id`.execute(store.db);
  await store.write(async (tx) => {
    for (const row of rows) await removeUpTo(tx, row);
  });
  const jobs = await ledgersIn(store.db, service.clock);
  assert.deepEqual(wrongIn(jobs), []);
  assert.ok(jobs.every(({ keptFrom }) => keptFrom !== null));
});
