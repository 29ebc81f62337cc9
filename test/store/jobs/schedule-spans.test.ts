/** The spans of a period are those that say something of its due times. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listSpans } from '../../../src/store/jobs/listed-spans.ts';
import * as fc from '../../support/fast-check.ts';
import { openTestStore } from '../../support/running/store.ts';

const rule = {
  schedule_type: 'cron' as const,
  cron_expr: '* * * * *',
  timezone: 'UTC',
  anchor_at: 0,
};

test('the spans of a period are found by their ends, the oldest first', async (t) => {
  const { store, addJob } = await openTestStore(t);
  const ids = [(await addJob()).id, (await addJob()).id];
  const at = fc.integer({ min: 0, max: 100 });
  const ends = fc.record({ length: at, next: fc.option(at) });
  const froms = fc.uniqueArray(at, { minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(
      fc.tuple(froms, froms),
      fc.array(ends, { minLength: 24, maxLength: 24 }),
      fc.tuple(at, at),
      async (fromsOf, spans, [after, length]) => {
        await store.db.deleteFrom('schedule_spans').execute();
        const rows = fromsOf.flatMap((of, job) =>
          of.map((from, index) => {
            const { length: lasts = 0, next = null } = spans[job * 12 + index] ?? {};
            const isOpen = index === 0;
            return {
              job_id: ids[job] ?? '',
              from_at: from,
              until_at: isOpen ? null : from + lasts - 20,
              next_due_at: isOpen || next === null ? null : from + next,
              end_reason: isOpen ? null : ('held' as const),
              ...rule,
            };
          }),
        );
        await store.db.insertInto('schedule_spans').values(rows).execute();
        const until = after + length;
        const says = (row: (typeof rows)[number]): boolean =>
          row.until_at === null || row.until_at > after || (row.next_due_at ?? -1) > after;
        const found = await listSpans(store.db, ids, { after, until, limit: 100 });
        for (const id of ids) {
          const expected = rows
            .filter((row) => row.job_id === id && row.from_at <= until && says(row))
            .map((row) => row.from_at)
            .toSorted((one, other) => one - other);
          assert.deepEqual(found.get(id)?.map(({ fromAt }) => fromAt) ?? [], expected);
        }
      },
    ),
    { numRuns: 60 },
  );
});
