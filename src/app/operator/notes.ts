/** What an operator should see to although jobd works, in sentences. */

import { lossText } from '../../domain/nodes.ts';
import { zoneDataTrouble } from '../../domain/schedule/zone-data.ts';
import type { SpaceCause } from '../../domain/space.ts';
import type { Db } from '../../store/database/store.ts';
import { findLastLedgerCheck } from '../../store/runs/ledger-checks.ts';
import type { SpaceState } from '../app.ts';
import { listLosses } from './nodes.ts';

/** What the last daily check of the ledger found. */
export interface LedgerFound {
  /** Epoch milliseconds. */
  checkedAt: number;
  dueTimes: number;
  wrong: number;
}

/** The last check of the ledger; null before the first. */
export async function findLedger(db: Db): Promise<LedgerFound | null> {
  const last = await findLastLedgerCheck(db);
  if (last === undefined) return null;
  const { checkedAt, called, missed, unaccounted, unexpected } = last;
  return { checkedAt, dueTimes: called + missed, wrong: unaccounted + unexpected };
}

/** An incomplete ledger, what nodes found lost within a week, and old time-zone data. */
export async function findNotes(db: Db, now: number): Promise<string[]> {
  const losses = await listLosses(db, now);
  const zones = zoneDataTrouble(now);
  return [
    ...notInLedger(await findLedger(db)),
    ...losses.map(lossText),
    ...(zones === null ? [] : [zones]),
  ];
}

/** That history goes before its time, in a sentence; none if there is enough space. */
export function shortOfSpace({ causes, isExhausted }: SpaceState): string[] {
  const why = causes().map((cause) => shortages[cause]);
  if (why.length === 0) return [];
  const what = isExhausted()
    ? 'no history is left to remove, free space'
    : 'the oldest history is removed before its time';
  return [`${why.join(' and ')}: ${what}`];
}

const shortages: Readonly<Record<SpaceCause, string>> = {
  limit: 'the database nears its limit',
  disk: 'the disk is nearly full',
};

/** That the last check of the ledger found something, in a sentence; none if it did not. */
export function notInLedger(ledger: LedgerFound | null): string[] {
  if (ledger === null || ledger.wrong === 0) return [];
  return [`${ledger.wrong} due times or runs are not accounted for: jobd ledger check`];
}
