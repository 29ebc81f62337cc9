/** Selectors as conditions: `fits` of domain/labels.ts in SQL. */

import { sql, type RawBuilder } from 'kysely';
import { jsonOf, type Selector } from '../../domain/labels.ts';
import { includes } from './dialect.ts';

/** Whether the labels of a row, a job or a monitor, fit a selector. */
export function labelsFit(selector: Selector): RawBuilder<boolean> {
  const labels = sql`coalesce(labels, '')`;
  const terms = selector.map((term) => {
    const has = includes(labels, sql`${jsonOf(term)}`);
    return term.isThere ? has : sql<boolean>`not ${has}`;
  });
  return sql<boolean>`(${sql.join(terms, sql` and `)})`;
}
