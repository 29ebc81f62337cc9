/** Many jobs, written by one large statement: copies of one that was made as people make them. */

import { sql } from 'kysely';
import { openStore } from '../src/store/open.ts';
import { keepJobs } from './seed.ts';

const dayMs = 86_400_000;

/** Fills a fresh data directory with jobs that call `ORIGIN/job/1` and are not due before tomorrow. */
export async function seedJobs(dataDir: string, origin: string, count: number): Promise<void> {
  await keepJobs(dataDir, origin, [{ prefix: 'job', count: 1 }]);
  await using store = await openStore(dataDir);
  const columns = await sql<{ name: string }>`pragma table_info(jobs)`.execute(store.db);
  const names = columns.rows.map(({ name }) => name);
  const copied = names
    .filter((name) => !['id', 'next_run_at'].includes(name))
    .map((name) => sql.ref(name));
  await store.write(async (tx) => {
    await sql`
      with recursive copies (number) as (
        select 1 union all select number + 1 from copies where number < ${count - 1})
      insert into jobs (id, next_run_at, ${sql.join(copied)})
      select printf('01a00000-0000-7000-8000-%012x', number),
        ${Date.now() + dayMs} + number % ${dayMs}, ${sql.join(copied)}
      from copies cross join (select * from jobs limit 1)`.execute(tx);
  });
}
