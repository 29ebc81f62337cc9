/** Windows of workspaces (domain/windows.ts). */

import { covers, periodAt, type Window } from '../../domain/windows.ts';
import { findLabels } from '../alerts/channels.ts';
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

/** Keeps the windows of a workspace. What is muted is looked at again at once. */
export async function keepWindows(
  tx: Db,
  workspaceId: string,
  windows: readonly Window[],
): Promise<void> {
  const json = windows.length === 0 ? null : JSON.stringify(windows);
  const row = tx.updateTable('workspaces').where('id', '=', workspaceId);
  await row.set({ windows: json }).execute();
  const channels = tx.selectFrom('channels').select('id').where('workspace_id', '=', workspaceId);
  await tx
    .updateTable('alert_states')
    .set((state) => ({ due_at: state.ref('quiet_until') }))
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
  const windows = await windowsOf(
    db,
    subjects.map(({ workspaceId }) => workspaceId),
  );
  const muted = new Map<string, number>();
  if (Array.from(windows.values()).every(({ length }) => length === 0)) return muted;
  const labels = await findLabels(
    db,
    subjects.map(({ id }) => id),
  );
  for (const { id, workspaceId } of subjects) {
    for (const window of windows.get(workspaceId) ?? []) {
      const period = periodAt(window, now);
      if (period === null || !covers(window, { id, labels: labels.get(id) ?? null })) continue;
      muted.set(id, Math.max(muted.get(id) ?? 0, period.until));
    }
  }
  return muted;
}
