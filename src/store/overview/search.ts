import { sql, type RawBuilder } from 'kysely';
import type { Search } from '../../domain/search.ts';
import { contains } from '../database/dialect.ts';
import { labelsFit } from '../database/labels.ts';

/** Whether a row has what is looked for, the text in one of these columns. */
export function isFound(
  { text, selector }: Search,
  columns: readonly string[],
): RawBuilder<boolean> {
  const places = columns.map((column) => contains(column, text ?? ''));
  const conditions = [
    ...(text === null ? [] : [sql`(${sql.join(places, sql` or `)})`]),
    ...(selector === null ? [] : [labelsFit(selector)]),
  ];
  return sql<boolean>`(${sql.join(conditions, sql` and `)})`;
}
