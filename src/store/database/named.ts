/** Lists of things with names, limited to a name, to ids that begin with a text, or to labels. */

import { sql, type RawBuilder } from 'kysely';
import type { Selector } from '../../domain/labels.ts';
import { labelsFit } from './labels.ts';

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

/** A page of a list whose items have labels too, down to an id. */
export interface LabelledPage extends NamedPage {
  selector?: Selector | null;
  downTo?: string | undefined;
}

/** Sorts after every id: ids have letters, digits and hyphens. */
export const afterAllIds = '~';

/** The condition of a page on `name` and `id`. */
export function onPage({
  before,
  name,
  idPrefix,
  selector = null,
  downTo,
}: Omit<LabelledPage, 'limit'>): RawBuilder<boolean> {
  const conditions = [
    sql`id < ${before ?? afterAllIds}`,
    ...(name === null ? [] : [sql`name = ${name}`]),
    ...(downTo === undefined ? [] : [sql`id >= ${downTo}`]),
    ...(selector === null ? [] : [labelsFit(selector)]),
    ...(idPrefix === null ? [] : [sql`id >= ${idPrefix} and id < ${`${idPrefix}${afterAllIds}`}`]),
  ];
  return sql<boolean>`(${sql.join(conditions, sql` and `)})`;
}
