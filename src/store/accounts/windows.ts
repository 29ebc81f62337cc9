/** Windows of workspaces (domain/windows.ts). */

import { coverOf, periodAt, type Cover, type Window } from '../../domain/windows.ts';
import { findLabels } from '../alerts/channels.ts';
import { holdQueues } from '../alerts/delivery-queue.ts';
import { idList } from '../database/dialect.ts';
import type { Db } from '../database/store.ts';

/** The windows of a workspace, in the order in which they were made. */
export async function listWindows(db: Db, workspaceId: string): Promise<Window[]> {
  return (await windowsOf(db, [workspaceId])).get(workspaceId) ?? [];
}

async function windowsOf(db: Db, workspaceIds: readonly string[]): Promise<Map<string, Window[]>> {
  const rows = await db
    .selectFrom('workspaces')
    .select(['id', 'windows as json'])
    .where('id', 'in', idList(workspaceIds))
    .execute();
  return new Map(rows.map(({ id, json }) => [id, json === null ? [] : JSON.parse(json)]));
}

/**
 * Keeps the windows of a workspace. What is held back is looked at again at `now` (epoch milliseconds). The queues of its channels
 * are held, so that who makes an alert beside it sees these windows, or has its state seen here.
 */
export async function keepWindows(
  tx: Db,
  workspaceId: string,
  windows: readonly Window[],
  now: number,
): Promise<void> {
  const channels = tx.selectFrom('channels').select('id').where('workspace_id', '=', workspaceId);
  const found = await channels.execute();
  await holdQueues(
    tx,
    found.map(({ id }) => id),
  );
  const json = windows.length === 0 ? null : JSON.stringify(windows);
  const row = tx.updateTable('workspaces').where('id', '=', workspaceId);
  await row.set({ windows: json }).execute();
  await tx
    .updateTable('alert_states')
    .set({ due_at: now })
    .where('channel_id', 'in', channels)
    .where('held', 'is not', null)
    .execute();
}

/** Until when these jobs and monitors are muted at `now` at least, by id, in epoch milliseconds; those that are not are absent. */
export async function findMuted(
  db: Db,
  subjects: readonly { id: string; workspaceId: string }[],
  now: number,
): Promise<ReadonlyMap<string, number>> {
  const windows = await windowsOf(db, [...new Set(subjects.map((one) => one.workspaceId))]);
  const on = new Map<string, { until: number; isAbout: Cover }[]>();
  for (const [workspaceId, all] of windows) {
    const its = all.flatMap((window) => {
      const period = periodAt(window, now);
      return period === null ? [] : [{ until: period.until, isAbout: coverOf(window) }];
    });
    if (its.length > 0) on.set(workspaceId, its);
  }
  const muted = new Map<string, number>();
  const affected = subjects.filter(({ workspaceId }) => on.has(workspaceId));
  if (affected.length === 0) return muted;
  const labels = await findLabels(
    db,
    affected.map(({ id }) => id),
  );
  for (const { id, workspaceId } of affected) {
    for (const { until, isAbout } of on.get(workspaceId) ?? []) {
      if (until <= (muted.get(id) ?? 0) || !isAbout(id, labels.get(id) ?? null)) continue;
      muted.set(id, until);
    }
  }
  return muted;
}
