/** What an operator sees of the daemon that runs. */

import type { Finding } from '../../domain/findings.ts';
import { zoneDataText } from '../../domain/schedule/zone-data.ts';
import type { SpaceCause } from '../../domain/space.ts';
import { findEarlyRemovals, findSiteUrl } from '../../store/accounts/instance.ts';
import type { Db } from '../../store/database/store.ts';
import { findLastLedgerCheck } from '../../store/runs/ledger-checks.ts';
import { requireOwner } from '../accounts/sessions.ts';
import type { DaemonApp, Principal } from '../app.ts';
import { listNodes, type NodeInRole } from './nodes.ts';

interface LedgerFound {
  /** Epoch milliseconds. */
  checkedAt: number;
  dueTimes: number;
  wrong: number;
}

export interface About {
  version: string;
  /** The release of the time-zone data in use, such as `2026f`, and where it comes from. */
  timeZoneData: string;
  /** Epoch milliseconds. */
  startedAt: number;
  /** Where people reach it. */
  siteUrl: string;
  isSigning: boolean;
  /** Without the write-ahead log. */
  databaseBytes: number;
  /** What this user may still write to the disk of the data directory; null if the database is on a server. */
  freeBytes: number | null;
  space: {
    /** The largest size of the database, in bytes; null without one. */
    limitBytes: number | null;
    /** Why history is removed before its time now: `limit`, `disk`. */
    shortOf: SpaceCause[];
    /** Whether space is short, and no history is left to remove. */
    isExhausted: boolean;
    /** What was removed before its time since the database was made. */
    removedResults: number;
    removedPings: number;
    /** When last, in epoch milliseconds; null if never. */
    lastRemovedAt: number | null;
  };
  /** What the last daily check of the ledger found; null before the first. */
  ledger: LedgerFound | null;
  findings: Finding[];
  mailIsConfigured: boolean;
  /** Who serves the database, and who did within a day; none if it is a file, which has this process alone. */
  nodes: NodeInRole[];
}

/** Makes a function that describes the daemon to a session of the owner. It throws `forbidden` for others. */
export function createAbout(app: DaemonApp): (principal: Principal) => Promise<About> {
  const { store, clock, instance, isSigning, space, health } = app;
  return async (principal) => {
    requireOwner(principal, 'see this');
    const early = await findEarlyRemovals(store.db);
    const { problems, notes } = await health.ask();
    const { version, startedAt, dataDir, mailIsConfigured } = instance;
    return {
      version,
      timeZoneData: zoneDataText(),
      startedAt,
      siteUrl: (await findSiteUrl(store.db)) ?? '',
      isSigning,
      databaseBytes: await store.sizeBytes(),
      freeBytes: store.file?.diskFreeBytes() ?? null,
      space: {
        limitBytes: space.limitBytes,
        shortOf: [...space.causes()],
        isExhausted: space.isExhausted(),
        removedResults: early.results,
        removedPings: early.pings,
        lastRemovedAt: early.at,
      },
      ledger: await findLedger(store.db),
      findings: [...problems, ...notes],
      mailIsConfigured,
      nodes: dataDir === null ? await listNodes(store.db, clock.now()) : [],
    };
  };
}

async function findLedger(db: Db): Promise<LedgerFound | null> {
  const last = await findLastLedgerCheck(db);
  if (last === undefined) return null;
  const { checkedAt, called, missed, unaccounted, unexpected } = last;
  return { checkedAt, dueTimes: called + missed, wrong: unaccounted + unexpected };
}
