/** Sweeps: id-paged passes over a table, so that no step is longer than a page, however many rows there are. */

/** The rows of one step: up to `limit` rows whose ids come after `afterId`. */
export interface SweepPage {
  afterId: string;
  limit: number;
}

/**
 * Yields all rows that `find` knows, page by page, in the order of their ids. Each page is found when it is
 * asked for: rows that are written meanwhile are seen if their ids are still to come. What `find` throws ends
 * the sweep; start another one.
 */
export async function* sweep<Row extends { id: string }>(
  find: (page: SweepPage) => Promise<readonly Row[]>,
  limit: number,
): AsyncGenerator<readonly Row[], void> {
  let afterId = '';
  for (;;) {
    const rows = await find({ afterId, limit });
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows;
    if (rows.length < limit) return;
    afterId = last.id;
  }
}
