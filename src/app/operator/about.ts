/** What an operator sees of the daemon that runs. */

import { statfs } from 'node:fs/promises';
import { zoneDataText } from '../../domain/schedule/zone-data.ts';
import type { SpaceCause } from '../../domain/space.ts';
import { findEarlyRemovals, findSiteUrl } from '../../store/accounts/instance.ts';
import { requireOwner } from '../accounts/sessions.ts';
import type { App, Principal } from '../app.ts';
import { listNodes } from './nodes.ts';
import type { NodeInRole } from './nodes.ts';
import { findLedger } from './notes.ts';
import type { LedgerFound } from './notes.ts';
import { createReadiness } from './readiness.ts';

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
  /** What an operator should see to, in sentences: why jobd cannot do its work now, and what it does not do as it should. */
  troubles: string[];
  mailIsConfigured: boolean;
  /** Who serves the database, and who did within a day; none if it is a file, which has this process alone. */
  nodes: NodeInRole[];
}

/** Makes a function that describes the daemon to a session of the owner. It throws `forbidden` for others. */
export function createAbout(app: App): (principal: Principal) => Promise<About> {
  const { store, instance, isSigning, space } = app;
  const readiness = createReadiness(app);
  return async (principal) => {
    requireOwner(principal, 'see this');
    const early = await findEarlyRemovals(store.db);
    const { troubles, notes } = await readiness();
    const { version, startedAt, dataDir, mailIsConfigured } = instance;
    return {
      version,
      timeZoneData: zoneDataText(),
      startedAt,
      siteUrl: (await findSiteUrl(store.db)) ?? '',
      isSigning,
      databaseBytes: await store.sizeBytes(),
      freeBytes: dataDir === null ? null : await freeBytesOf(dataDir),
      space: {
        limitBytes: space.limitBytes,
        shortOf: [...space.causes()],
        isExhausted: space.isExhausted(),
        removedResults: early.results,
        removedPings: early.pings,
        lastRemovedAt: early.at,
      },
      ledger: await findLedger(store.db),
      troubles: [...troubles, ...notes],
      mailIsConfigured,
      nodes: dataDir === null ? await listNodes(app) : [],
    };
  };
}

async function freeBytesOf(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory);
  return bavail * bsize;
}
