/** A store with a long history, written by a few large statements, whose jobs are called once a minute. */

import { join } from 'node:path';
import { sql } from 'kysely';
import { openStore } from '../src/store/open.ts';
import { seedStore } from './api-seed.ts';
import type { Seed } from './api-seed.ts';

const periodMs = 60_000;
/** As long as a receipt is. */
const receiptCharacters = 1_000;

/** Fills a fresh data directory: jobs that call `ORIGIN/job/N`, the oldest runs first. */
export async function seedHistory(
  dataDir: string,
  wanted: { origin: string; jobs: number; runs: number; requests: number },
): Promise<Seed> {
  const seed = await seedStore(join(dataDir), wanted);
  await using store = await openStore(dataDir);
  const { jobs, runs } = wanted;
  const everyMs = periodMs / jobs;
  const lastAt = Date.now() - periodMs;
  await store.write(async (tx) => {
    await sql`create temp table numbered as
      select id as job_id, row_number() over (order by id) - 1 as number from jobs`.execute(tx);
    await sql`create unique index temp.by_number on numbered (number)`.execute(tx);
    // As if each job had been called once a minute until a minute ago.
    await sql`
      with recursive past (number) as (
        select 0 union all select number + 1 from past where number < ${runs - 1})
      insert into runs (id, job_id, source, status, scheduled_for, started_at, finished_at,
        attempts, http_status, duration_ms, response_body)
      select printf('%08x-%04x-7000-8000-%012x', at / 65536, at % 65536, past.number),
        job_id, 'scheduled', 'success', at, at + 2, at + 5, 1, 200, 3, 'ok'
      from (select number,
        cast(${lastAt} - (${runs} - number) * ${everyMs} as integer) as at from past) as past
      cross join numbered on numbered.number = past.number % ${jobs}`.execute(tx);
    await sql`insert into receipts (run_id, receipt)
      select id, hex(zeroblob(${receiptCharacters / 2})) from runs order by rowid`.execute(tx);
    await sql`drop table temp.numbered`.execute(tx);
    await sql`update jobs set total_success =
      (select count(*) from runs where job_id = jobs.id)`.execute(tx);
  });
  return seed;
}

/** From an instant on so many of the jobs are due once a minute, one after another; all unless said. */
export async function makePeriodic(dataDir: string, fromAt: number, count?: number): Promise<void> {
  await using store = await openStore(dataDir);
  await store.write(async (tx) => {
    await sql`update jobs set period_seconds = 60, next_run_at = ${fromAt} + planned.at,
        anchor_at = ${fromAt} + planned.at - ${periodMs}
      from (select id, cast((row_number() over (order by id) - 1) * ${periodMs} * 1.0
        / count(*) over () as integer) as at
        from (select id from jobs order by id limit ${count ?? -1})) as planned
      where jobs.id = planned.id`.execute(tx);
  });
}
