import type { AliasedExpression, SelectQueryBuilder } from 'kysely';
import type { Schema } from './schema.ts';
import type { Db } from './store.ts';

/** Counts the rows of a query that selects nothing yet. */
export async function countOf<T extends keyof Schema>(
  query: SelectQueryBuilder<Schema, T, object>,
): Promise<number> {
  const { count } = await query
    .select((of) => of.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

/** Counts the rows of a query that has a name. One with a limit reads no more than that. */
export async function countRows(db: Db, rows: AliasedExpression<object, string>): Promise<number> {
  return await countOf(db.selectFrom(rows));
}
