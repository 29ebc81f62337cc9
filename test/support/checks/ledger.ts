/** The ledger of a database, for tests of what may go wrong with one. */

import { checkLedgerPage } from '../../../src/wings/ledger/entries.ts';
import type { JobLedger, LedgerPosition } from '../../../src/wings/ledger/entries.ts';
import { isoTime, systemClock, type Clock } from '../../../src/domain/clock.ts';
import type { Db } from '../../../src/store/database/store.ts';
import { openReader, storePath } from '../../../src/store/sqlite/reader.ts';

/** The ledgers of all jobs from their beginning up to now. */
export async function ledgersIn(db: Db, clock: Clock): Promise<JobLedger[]> {
  const request = { workspaceId: null, jobId: null, after: 0, until: null, limit: 50 };
  const jobs: JobLedger[] = [];
  let from: LedgerPosition | null = null;
  do {
    const page = await checkLedgerPage({ store: { db }, clock }, request, from);
    jobs.push(...page.jobs);
    from = page.next;
  } while (from !== null);
  return jobs;
}

/** What is not accounted for, as sentences. */
export function wrongIn(jobs: readonly JobLedger[]): string[] {
  return jobs.flatMap(({ id, name, unaccounted, unexpected }) => [
    ...unaccounted.map(
      ({ first, count }) => `${name} ${id}: nothing of ${count} due times from ${isoTime(first)}`,
    ),
    ...unexpected.map((at) => `${name} ${id}: a run of ${isoTime(at)}, when it was not due`),
  ]);
}

/** The same of a data directory, with or without a daemon. */
export async function wrongInLedger(dataDir: string): Promise<string[]> {
  await using reader = await openReader(storePath(dataDir));
  return wrongIn(await ledgersIn(reader.db, systemClock));
}
