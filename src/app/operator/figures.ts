/** What metrics say about the store. */

import { setTimeout } from 'node:timers/promises';
import type { Clock } from '../../domain/clock.ts';
import { JobdError } from '../../domain/errors.ts';
import { mostCounted, type StoredFigures } from '../../domain/meter.ts';
import type { Store } from '../../store/database/store.ts';
import { countWaitingResults } from '../../store/alerts/callbacks.ts';
import { countUnsignedRuns } from '../../store/proof/receipts.ts';
import { countWaits } from '../../store/runs/reports.ts';
import { findLastLedgerCheck } from '../../store/runs/ledger-checks.ts';
import { countDueJobs } from '../../store/runs/claims.ts';

/** Prometheus waits 10 s, by default, for all metrics. */
const longestWaitMs = 3_000;

export interface FiguresParts {
  store: Store;
  clock: Clock;
  waitMs?: number;
}

/** Returns a function that asks the store; null if it does not answer now. Callers share a question: one at most is under way. */
export function createFigures({
  store,
  clock,
  waitMs = longestWaitMs,
}: FiguresParts): () => Promise<StoredFigures | null> {
  let asked: Promise<StoredFigures | null> | undefined;
  return async () => {
    asked ??= ask(store, clock.now()).finally(() => (asked = undefined));
    return await Promise.race([asked, setTimeout(waitMs, null, { ref: false })]);
  };
}

async function ask(store: Store, now: number): Promise<StoredFigures | null> {
  try {
    const ledger = await findLastLedgerCheck(store.db);
    return {
      jobsDue: await countDueJobs(store.db, now, mostCounted),
      receiptsUnsigned: await countUnsignedRuns(store.db, mostCounted),
      reportsWaiting: await countWaits(store.db, mostCounted),
      resultsWaiting: await countWaitingResults(store.db, mostCounted),
      databaseBytes: await store.sizeBytes(),
      diskFreeBytes: store.file?.diskFreeBytes() ?? null,
      ledgerCheckedAtSeconds: ledger ? ledger.checkedAt / 1_000 : null,
    };
  } catch (error) {
    if (error instanceof JobdError && error.isOfStore) return null;
    throw error;
  }
}
