/** Very many jobs in a store, as copies of one. */

import type { Insertable } from 'kysely';
import type { JobRow } from '../../../src/store/database/schema.ts';
import type { Store } from '../../../src/store/database/store.ts';

/** Rows of one statement: a database takes a limited number of parameters. */
const rowsPerStatement = 200;

/** Adds `count` copies of a job, each newer than the last and named `copy N`. Returns their ids, oldest first. */
export async function copyJob(store: Store, jobId: string, count: number): Promise<string[]> {
  const found = await store.db
    .selectFrom('jobs')
    .selectAll()
    .where('id', '=', jobId)
    .executeTakeFirstOrThrow();
  const { name_lower: _, ...row } = found;
  const copies = Array.from({ length: count }, (__, index): Insertable<JobRow> => {
    const number = index + 1;
    const id = `02000000-0000-7000-8000-${number.toString(16).padStart(12, '0')}`;
    return { ...row, id, name: `copy ${number}` };
  });
  await store.write(async (tx) => {
    for (let from = 0; from < count; from += rowsPerStatement) {
      const some = copies.slice(from, from + rowsPerStatement);
      await tx.insertInto('jobs').values(some).execute();
    }
  });
  return copies.map(({ id }) => id);
}
