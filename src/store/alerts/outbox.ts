/** The outbox: health changes that are still to become deliveries, written in the transaction of their cause. */

import { sql } from 'kysely';
import { jobAlertData, type AlertData } from '../../domain/alerts/alert.ts';
import { isOfMonitor, type HealthChange } from '../../domain/alerts/health-change.ts';
import { labelsIn } from '../../domain/labels.ts';
import { idList, locksRows, numberOf, rowsOf, textOf } from '../database/dialect.ts';
import type { Db } from '../database/store.ts';
import { findRun } from '../runs/runs.ts';

/** The numbers of consecutive failures above one that some channel waits for. */
export async function findThresholds(db: Db): Promise<Set<number>> {
  const rows = await db
    .selectFrom('channels')
    .select('after_failures')
    .distinct()
    .where('after_failures', '>', sql.lit(1))
    .execute();
  return new Set(rows.map((row) => row.after_failures));
}

/**
 * Adds health changes. A newer change replaces one of the same type and number of failures of its subject. What a channel
 * is alerted of follows from the last of each, and so nobody can fill the outbox.
 */
export async function insertHealthChanges(db: Db, changes: readonly HealthChange[]): Promise<void> {
  if (changes.length === 0) return;
  const newest = new Map(
    changes.map((one) => [`${one.subjectId} ${one.type} ${one.failures}`, one]),
  );
  const elements = Array.from(newest.values(), (change) => ({
    ...change,
    data: change.data && JSON.stringify(change.data),
  }));
  // Without the condition SQLite reads `on conflict` as part of a join.
  await sql`
    insert into outbox (id, type, workspace_id, subject_id, run_id, failures, data, at, position)
    select ${textOf('id')}, ${textOf('type')}, ${textOf('workspaceId')}, ${textOf('subjectId')},
      ${textOf('runId')}, ${numberOf('failures')}, ${textOf('data')}, ${numberOf('at')},
      coalesce((select max(position) from outbox where subject_id = ${textOf('subjectId')}), 0) + 1
    from ${rowsOf(elements)} where true
    on conflict (subject_id, type, failures) do update set id = excluded.id,
      run_id = excluded.run_id, data = excluded.data, at = excluded.at, position = excluded.position`.execute(
    db,
  );
}

/** The next workspace with a health change, in the order of ids and from the start after the last. */
export async function findNextWorkspace(db: Db, after: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('outbox')
    .select('workspace_id')
    .where('workspace_id', '>', after)
    .orderBy('workspace_id')
    .limit(1)
    .executeTakeFirst();
  if (row === undefined && after !== '') return await findNextWorkspace(db, '');
  return row?.workspace_id;
}

/** The oldest health changes of a workspace, those of a subject in their order; or those of these ids, in any order. */
export async function findHealthChanges(
  db: Db,
  workspaceId: string,
  { among, limit }: { among?: readonly string[] | undefined; limit: number },
): Promise<HealthChange[]> {
  const query = db.selectFrom('outbox').selectAll().where('workspace_id', '=', workspaceId);
  const rows =
    among === undefined
      ? await query.orderBy('position').orderBy('id').limit(limit).execute()
      : await query.where('id', 'in', idList(among)).limit(limit).execute();
  return rows.map((row) => ({
    id: row.id,
    type: row.type,
    workspaceId: row.workspace_id,
    subjectId: row.subject_id,
    runId: row.run_id,
    failures: row.failures,
    data: row.data === null ? null : (JSON.parse(row.data) as AlertData),
    at: row.at,
  }));
}

/**
 * Those of these that are still there, as they are now. To be asked once the queues of the channels are held that they are for:
 * another node may have taken itself for the one that expands them, and been faster.
 */
export async function findRemaining(
  db: Db,
  changes: readonly HealthChange[],
): Promise<readonly HealthChange[]> {
  const [first] = changes;
  if (first === undefined || !locksRows(db)) return changes;
  const among = changes.map(({ id }) => id);
  const found = await findHealthChanges(db, first.workspaceId, { among, limit: changes.length });
  const byId = new Map(found.map((change) => [change.id, change]));
  return changes.flatMap(({ id }) => byId.get(id) ?? []);
}

/**
 * Removes health changes that have become deliveries. By their ids, and not up to one: where several write at once, one with
 * an earlier id may have come meanwhile.
 */
export async function removeHealthChanges(db: Db, ids: readonly string[]): Promise<void> {
  await db.deleteFrom('outbox').where('id', 'in', idList(ids)).execute();
}

/** The data of the alert of a health change; undefined if its subject or run is gone, so that nobody is alerted. */
export async function findAlertData(db: Db, change: HealthChange): Promise<AlertData | undefined> {
  const { subjectId, runId, data } = change;
  const subject = await db
    .selectFrom(isOfMonitor(change) ? 'monitors' : 'jobs')
    .select(['id', 'name', 'paused', 'labels'])
    .where('id', '=', subjectId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  if (subject === undefined) return undefined;
  const run = runId === null ? undefined : await findRun(db, subjectId, runId);
  const labels = labelsIn(subject.labels);
  const job = { ...subject, paused: subject.paused === 1, labels };
  if (run !== undefined) return jobAlertData(job, run);
  const named = labels && { labels };
  if (data?.job !== undefined) return { ...data, job: { ...data.job, ...named } };
  return data?.monitor ? { ...data, monitor: { ...data.monitor, ...named } } : (data ?? undefined);
}
