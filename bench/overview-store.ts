/** The large store of `overview.ts`. */

import { sql } from 'kysely';
import { openStore } from '../src/store/open.ts';
import { seedJobs, seedStore } from './seed.ts';

const minuteMs = 60_000;
const dayMs = 86_400_000;
const bodyCharacters = 43_000;
const longUrl = 'https://example.com/'.padEnd(2_000, 'a');

/** The job that has one run in fifty. */
export const busyJobId = '01a00000-0000-7000-8000-000000000001';

/** Fills a data directory. The runs end now, each job was called in turn. */
export async function fill(
  dataDir: string,
  { jobs, runs }: { jobs: number; runs: number },
): Promise<void> {
  await seedJobs(dataDir, 'http://127.0.0.1:9', [{ prefix: 'job', count: 1 }]);
  await seedStore(dataDir, { origin: 'http://127.0.0.1:9', jobs: 0, requests: 1, monitors: 2_000 });
  await using store = await openStore(dataDir);
  const now = Date.now();
  const spanMs = 10 * dayMs;
  await store.write(async (tx) => {
    const { rows } = await sql<{ name: string }>`pragma table_info(jobs)`.execute(tx);
    const set = new Set(['id', 'name', 'url', 'next_run_at', 'paused', 'health', 'sealed']);
    const copied = sql.join(
      rows.filter(({ name }) => !set.has(name)).map(({ name }) => sql.ref(name)),
    );
    await sql`
      with recursive numbers (number) as (
        select 0 union all select number + 1 from numbers where number < ${jobs - 1})
      insert into jobs (id, name, url, next_run_at, paused, health, sealed, ${copied})
      select printf('01a00000-0000-7000-8000-%012x', number), 'job ' || (number * 7919 % ${jobs}),
        iif(number % 20 = 3, ${longUrl}, url),
        case when number % 200 = 7 then null else ${now} + number % 1440 * ${minuteMs} end,
        number % 200 = 7,
        case when number % 300 = 5 then 'down' when number % 300 = 6 then 'new' else 'up' end,
        case when number % 10 = 0 then hex(zeroblob(${bodyCharacters / 2})) end, ${copied}
      from numbers cross join (select * from jobs limit 1)`.execute(tx);
    await sql`
      with recursive numbers (number) as (
        select 0 union all select number + 1 from numbers where number < ${runs - 1})
      insert into runs (id, job_id, source, status, scheduled_for, started_at, finished_at,
        attempts, http_status, duration_ms, reason, last_due_at, missed_count, workspace_id, response_body)
      select printf('%08x-%04x-7000-8000-%012x', at / 65536, at % 65536, number), job_id,
        'scheduled', status, at, iif(status = 'missed', null, at + 2),
        iif(status = 'missed', null, at + 5), 1, iif(status = 'success', 200, null),
        iif(status = 'missed', null, 3), iif(status = 'success', null, iif(status = 'missed', 'late', 'http')),
        iif(status = 'missed', at, null), iif(status = 'missed', 1, null),
        workspace_id, iif(status = 'success', ${'ok '.repeat(300)}, null)
      from (select number, cast(${now} - (${runs} - number) * ${spanMs / runs} as integer) as at,
          printf('01a00000-0000-7000-8000-%012x', iif(number % 50 = 1, 1, number % ${jobs})) as job_id,
          case number % 33 when 0 then 'failed' when 16 then iif(number % 2 = 0, 'missed', 'success')
            else 'success' end as status
        from numbers) as past
      cross join (select workspace_id from jobs limit 1)`.execute(tx);
  });
}
