/** The store that is pinged: monitors, and nothing else. */

import { randomUUID } from 'node:crypto';
import { newId } from '../src/domain/id.ts';
import { defineMonitor } from '../src/domain/monitor-input.ts';
import { insertMonitor } from '../src/store/monitors.ts';
import { openStore } from '../src/store/open.ts';
import {
  defaultWorkspace,
  ensureDefaultWorkspace,
  findWorkspace,
} from '../src/store/workspaces.ts';

/** Fills a fresh data directory; returns the ids to ping. */
export async function seedMonitors(dataDir: string, count: number): Promise<string[]> {
  await using store = await openStore(dataDir);
  const now = Date.now();
  await ensureDefaultWorkspace(store, newId(now), now);
  const workspaceId = (await findWorkspace(store.db, defaultWorkspace))?.id ?? '';
  const pingIds = Array.from({ length: count }, () => randomUUID());
  await store.write(async (tx) => {
    for (const pingId of pingIds) {
      const input = { name: 'task', scheduleType: 'period', periodSeconds: 3_600 } as const;
      await insertMonitor(tx, defineMonitor(input, { id: newId(now), workspaceId, pingId, now }));
    }
  });
  return pingIds;
}

/** The pings that a store holds, counted row by row. */
export async function countPings(dataDir: string): Promise<number> {
  await using store = await openStore(dataDir);
  const { pings } = await store.db
    .selectFrom('pings')
    .select((of) => of.fn.countAll<number>().as('pings'))
    .executeTakeFirstOrThrow();
  return pings;
}
