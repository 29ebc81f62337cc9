import type { AliasedExpression } from 'kysely';
import type { Db } from './store.ts';

/** Counts the rows of a query that has a name. One with a limit reads no more than that. */
export async function countRows(db: Db, rows: AliasedExpression<object, string>): Promise<number> {
  const { count } = await db
    .selectFrom(rows)
    .select((of) => of.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}
