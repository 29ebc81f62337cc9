/** Lists of things with names, limited to a name or to ids that begin with a text. */

import { sql, type RawBuilder } from 'kysely';

/** What a list is limited to; null for no limit. */
export interface NamedPage {
  limit: number;
  /** The last id of the previous page. */
  before: string | null;
  /** Only those with exactly this name. */
  name: string | null;
  /** Only those whose ids begin so, in lower case. */
  idPrefix: string | null;
}

/** Sorts after every id: ids have letters, digits and hyphens. */
export const afterAllIds = '~';

/** The condition of a page on `name` and `id`. */
export function onPage({ before, name, idPrefix }: Omit<NamedPage, 'limit'>): RawBuilder<boolean> {
  const conditions = [
    sql`id < ${before ?? afterAllIds}`,
    ...(name === null ? [] : [sql`name = ${name}`]),
    ...(idPrefix === null ? [] : [sql`id >= ${idPrefix} and id < ${`${idPrefix}${afterAllIds}`}`]),
  ];
  return sql<boolean>`(${sql.join(conditions, sql` and `)})`;
}
