/** Very many jobs in a store, as copies of one. */

import { sql } from 'kysely';
import type { Store } from '../../../src/store/database/open.ts';

/** Adds `count` copies of a job, each newer than the last and named `copy N`. Returns their ids, oldest first. */
export async function copyJob(store: Store, jobId: string, count: number): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`pragma table_info(jobs)`.execute(store.db);
  const names = rows.map(({ name }) => name).filter((name) => name !== 'id' && name !== 'name');
  const columns = sql.join(names.map((name) => sql.ref(name)));
  await sql`
    with recursive copies (number) as (
      select 1 union all select number + 1 from copies where number < ${count})
    insert into jobs (id, name, ${columns})
    select printf('02000000-0000-7000-8000-%012x', copies.number), 'copy ' || copies.number, ${columns}
    from copies cross join (select * from jobs where id = ${jobId})`.execute(store.db);
  return Array.from(
    { length: count },
    (_, index) => `02000000-0000-7000-8000-${(index + 1).toString(16).padStart(12, '0')}`,
  );
}
