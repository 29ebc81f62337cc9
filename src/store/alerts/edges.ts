/** The outbox: edges that are to become deliveries, kept in the transaction that records them. */

import { sql } from 'kysely';
import { isMonitorEdge, jobAlertData } from '../../domain/alerts/alert.ts';
import type { AlertData, Edge } from '../../domain/alerts/alert.ts';
import { numberOf, rowsOf, textOf } from '../database/dialect.ts';
import type { Db } from '../database/open.ts';
import { findRun } from '../runs/runs.ts';

/** Keeps how many failures in a row jobs have. */
export async function updateFailures(
  db: Db,
  jobs: readonly { jobId: string; failures: number }[],
): Promise<void> {
  await sql`
    update jobs set failures = ${numberOf('failures', 'changed.value')}
    from ${rowsOf(jobs)} as changed
    where jobs.id = ${textOf('jobId', 'changed.value')}`.execute(db);
}

/** Numbers of failures in a row, other than one, that some channel waits for. */
export async function findThresholds(db: Db): Promise<Set<number>> {
  const rows = await db
    .selectFrom('channels')
    .select('after_failures')
    .distinct()
    .where('after_failures', '>', 1)
    .execute();
  return new Set(rows.map((row) => row.after_failures));
}

/**
 * Keeps edges. One takes the place of an edge of the same kind that its subject still has here: what a channel is to
 * hear follows from the last of each kind, and nobody can fill the outbox.
 */
export async function insertEdges(db: Db, edges: readonly Edge[]): Promise<void> {
  if (edges.length === 0) return;
  const last = new Map(
    edges.map((edge) => [`${edge.subjectId} ${edge.type} ${edge.failures}`, edge]),
  );
  const elements = Array.from(last.values(), (edge) => ({
    ...edge,
    data: edge.data && JSON.stringify(edge.data),
  }));
  await db
    .insertInto('edges')
    .columns(['id', 'type', 'workspace_id', 'subject_id', 'run_id', 'failures', 'data', 'at'])
    .expression((of) =>
      of
        .selectFrom(rowsOf(elements).as('edge'))
        .select([
          textOf('id').as('id'),
          textOf('type').as('type'),
          textOf('workspaceId').as('workspace_id'),
          textOf('subjectId').as('subject_id'),
          textOf('runId').as('run_id'),
          numberOf('failures').as('failures'),
          textOf('data').as('data'),
          numberOf('at').as('at'),
        ])
        // Without it SQLite takes what follows for the condition of a join.
        .where(sql.lit(true)),
    )
    .onConflict((conflict) =>
      conflict.columns(['subject_id', 'type', 'failures']).doUpdateSet((of) => ({
        id: of.ref('excluded.id'),
        run_id: of.ref('excluded.run_id'),
        data: of.ref('excluded.data'),
        at: of.ref('excluded.at'),
      })),
    )
    .execute();
}

/** The first workspace with an edge after another one, by their ids; then from the beginning. Undefined if there is no edge. */
export async function findNextWorkspace(db: Db, after: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('edges')
    .select('workspace_id')
    .where('workspace_id', '>', after)
    .orderBy('workspace_id')
    .limit(1)
    .executeTakeFirst();
  if (row === undefined && after !== '') return await findNextWorkspace(db, '');
  return row?.workspace_id;
}

/** The oldest edges of a workspace; only those up to an id, if one is given. */
export async function findEdges(
  db: Db,
  workspaceId: string,
  { upTo, limit }: { upTo?: string | undefined; limit: number },
): Promise<Edge[]> {
  const all = db.selectFrom('edges').selectAll().where('workspace_id', '=', workspaceId);
  const wanted = upTo === undefined ? all : all.where('id', '<=', upTo);
  const rows = await wanted.orderBy('id').limit(limit).execute();
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

/** Removes the edges of a workspace up to an id: they have become deliveries. */
export async function removeEdges(db: Db, workspaceId: string, upTo: string): Promise<void> {
  await db
    .deleteFrom('edges')
    .where('workspace_id', '=', workspaceId)
    .where('id', '<=', upTo)
    .execute();
}

/** What the alert of an edge tells; undefined if its subject or run is gone, so that nobody is alerted. */
export async function findAlertData(db: Db, edge: Edge): Promise<AlertData | undefined> {
  if (edge.data !== null) return (await isGone(db, edge)) ? undefined : edge.data;
  const job = await db
    .selectFrom('jobs')
    .select(['id', 'name', 'paused'])
    .where('id', '=', edge.subjectId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  if (job === undefined || edge.runId === null) return undefined;
  const run = await findRun(db, job.id, edge.runId);
  return run && jobAlertData({ ...job, paused: job.paused === 1 }, run);
}

async function isGone(db: Db, edge: Edge): Promise<boolean> {
  const subject = await db
    .selectFrom(isMonitorEdge(edge) ? 'monitors' : 'jobs')
    .select('id')
    .where('id', '=', edge.subjectId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return subject === undefined;
}
