import type { LedgerCheck } from '../../domain/runs/ledger-check.ts';
import { countOf } from '../database/count.ts';
import type { Db } from '../database/store.ts';

/** Two months of them. */
const mostKept = 60;

/** The last check; undefined if there was none. */
export async function findLastLedgerCheck(db: Db): Promise<LedgerCheck | undefined> {
  return await db
    .selectFrom('ledger_checks')
    .select(['checked_at as checkedAt', 'after_at as after', 'example'])
    .select(['jobs', 'called', 'missed', 'explained', 'unaccounted', 'unexpected'])
    .orderBy('checked_at', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** Counts the checks that were made later than `now` (epoch milliseconds), one a day: by a clock that was ahead, or this one is behind. */
export async function countChecksAfter(db: Db, now: number): Promise<number> {
  return await countOf(db.selectFrom('ledger_checks').where('checked_at', '>', now));
}

/** Keeps a check, and removes the oldest ones. */
export async function keepLedgerCheck(
  tx: Db,
  { checkedAt, after, ...counts }: LedgerCheck,
): Promise<void> {
  await tx
    .insertInto('ledger_checks')
    .values({ checked_at: checkedAt, after_at: after, ...counts })
    .onConflict((same) => same.column('checked_at').doNothing())
    .execute();
  const newest = tx
    .selectFrom('ledger_checks')
    .select('checked_at')
    .orderBy('checked_at', 'desc')
    .limit(mostKept);
  await tx.deleteFrom('ledger_checks').where('checked_at', 'not in', newest).execute();
}
