/**
 * Callbacks: the channels of jobs with `onResult`, which deliver the job's finished runs. They are channels, so that
 * deliveries, attempts, waits and signatures are those of alerts. No list of channels has them, and no health change
 * becomes a delivery of theirs. The line of a delivery is its run: a result that is refused holds none back.
 */

import { sql } from 'kysely';
import { runFinished, type Alert } from '../../domain/alerts/alert.ts';
import { labelsIn } from '../../domain/labels.ts';
import { callbackBounds, type PostedResult } from '../../domain/alerts/delivery.ts';
import { newId } from '../../domain/id.ts';
import { idList } from '../database/dialect.ts';
import { countRows } from '../database/count.ts';
import type { Db } from '../database/store.ts';
import { runOf, withReports } from '../runs/runs.ts';
import { giveUp, isOnPage, type DeliveryPage } from './deliveries.ts';
import {
  deliveryOf,
  insertDeliveries,
  pending,
  planChannel,
  shownColumns,
} from './delivery-queue.ts';

/** The channel of a job with `onResult`. */
export interface Callback {
  id: string;
  jobId: string;
  workspaceId: string;
  /** The name of the job, for the log. */
  name: string;
  /** Its URL and its secret. */
  sealed: string;
}

/** The callback of a job, or undefined. */
export async function findCallback(db: Db, jobId: string): Promise<Callback | undefined> {
  return await db
    .selectFrom('channels')
    .select(['id', 'workspace_id as workspaceId', 'name', 'sealed'])
    .select((of) => of.ref('callback_of').$notNull().as('jobId'))
    .where('callback_of', '=', jobId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
}

/** A page of what became of the results of a callback, newest first. */
export async function listResults(
  db: Db,
  callbackId: string,
  page: DeliveryPage,
): Promise<PostedResult[]> {
  const backOff = sql<
    number | null
  >`(select backed_off_until from channels where id = ${callbackId})`;
  const rows = await db
    .selectFrom('deliveries')
    .select(shownColumns)
    .select(['subject_id as runId', 'next_attempt_at as dueAt', backOff.as('backOff')])
    .where(isOnPage(sql`${callbackId}`, page))
    .orderBy('id', 'desc')
    .limit(page.limit)
    .execute();
  return rows.map((row) => {
    const { runId, dueAt, created_at: createdAt } = row;
    // One that was never tried is due from the beginning.
    const nextAttemptAt = dueAt === null ? null : Math.max(dueAt, row.backOff ?? 0, createdAt);
    return Object.assign(deliveryOf(row), { runId, nextAttemptAt });
  });
}

/** Adds a callback to a job that has none. */
export async function insertCallback(db: Db, callback: Callback, now: number): Promise<void> {
  const { id, jobId, workspaceId, name, sealed } = callback;
  await db
    .insertInto('channels')
    .values({
      id,
      callback_of: jobId,
      workspace_id: workspaceId,
      name,
      type: 'webhook',
      sealed,
      enabled: 1,
      job_ids: '[]',
      monitor_ids: '[]',
      after_failures: 1,
      remind_every_seconds: null,
      created_at: now,
    })
    .execute();
}

/** Gives a callback another URL or secret, sealed; it is used again, whatever became of it. */
export async function updateCallback(
  db: Db,
  { id, name, sealed }: Pick<Callback, 'id' | 'name' | 'sealed'>,
): Promise<void> {
  await db
    .updateTable('channels')
    .set({ name, sealed, enabled: 1, unanswered: 0, backed_off_until: null })
    .where('id', '=', id)
    .execute();
  // The update holds the queue.
  await planChannel(db, id);
}

/** Gives the callback of a job the name of the job. */
export async function renameCallback(db: Db, jobId: string, name: string): Promise<void> {
  await db.updateTable('channels').set({ name }).where('callback_of', '=', jobId).execute();
}

/** Hides the callbacks of these jobs for good; they deliver nothing more. They are removed later. */
export async function markCallbacksDeleted(
  db: Db,
  jobIds: readonly string[],
  now: number,
): Promise<void> {
  await db
    .updateTable('channels')
    .set({ deleted_at: now, enabled: 0, next_delivery_at: null })
    .where('callback_of', 'in', idList(jobIds))
    .where('deleted_at', 'is', null)
    .execute();
}

/** Results that a job lost because its target takes none. */
export interface DroppedResults {
  jobId: string;
  job: string;
  count: number;
}

/**
 * Adds a delivery for each of these finished runs whose job has a callback, in the transaction that finishes them. The
 * oldest are dropped where too many wait, so that a target that is gone fills nothing. Returns how many were added.
 */
export async function postResults(
  tx: Db,
  runIds: readonly string[],
  now: number,
): Promise<{ posted: number; dropped: DroppedResults[] }> {
  const finished = await findFinished(tx, runIds);
  await insertDeliveries(
    tx,
    finished.map(({ channelId, jobId, jobName, runId, alert }) => {
      const id = newId(now);
      const subject = { type: 'job', id: jobId, name: jobName } as const;
      const about = { id, channelId, event: alert.type, subject, subjectId: runId };
      // At once, whatever the clock of the node says that delivers it.
      return { ...about, payload: JSON.stringify(alert), createdAt: now, dueAt: 0 };
    }),
    callbackBounds.kept,
  );
  const dropped: DroppedResults[] = [];
  for (const { channelId, jobId, jobName } of finished) {
    const count = await dropOldest(tx, channelId);
    if (count > 0) dropped.push({ jobId, job: jobName, count });
  }
  return { posted: finished.length, dropped };
}

interface Finished {
  channelId: string;
  jobId: string;
  jobName: string;
  runId: string;
  alert: Alert;
}

async function findFinished(tx: Db, runIds: readonly string[]): Promise<Finished[]> {
  const rows = await tx
    .selectFrom('runs')
    .innerJoin('jobs', 'jobs.id', 'runs.job_id')
    .innerJoin('workspaces', 'workspaces.id', 'jobs.workspace_id')
    .innerJoin('channels', 'channels.callback_of', 'jobs.id')
    .selectAll('runs')
    .select(['jobs.name as jobName', 'jobs.paused', 'jobs.health', 'jobs.active_run_id'])
    .select([
      'jobs.down_reason',
      'jobs.labels',
      'workspaces.name as workspaceName',
      'channels.id as channelId',
    ])
    .where('runs.id', 'in', idList(runIds))
    .where('channels.deleted_at', 'is', null)
    .where('channels.enabled', '=', 1)
    .execute();
  const runs = await withReports(tx, rows.map(runOf));
  return rows.map((row, index) => {
    const job = {
      id: row.job_id,
      name: row.jobName,
      paused: row.paused === 1,
      health: row.health,
      activeRunId: row.active_run_id,
      downReason: row.down_reason,
      labels: labelsIn(row.labels),
    };
    const workspace = { id: row.workspace_id, name: row.workspaceName };
    const alert = runFinished(workspace, job, runs[index] ?? runOf(row));
    return { channelId: row.channelId, jobId: job.id, jobName: job.name, runId: row.id, alert };
  });
}

/** Gives up what waits beyond the newest. Returns how many it gave up. */
async function dropOldest(tx: Db, channelId: string): Promise<number> {
  const { waiting, kept } = callbackBounds;
  const tooMany = await tx
    .selectFrom('deliveries')
    .select(['id', 'payload'])
    .where('channel_id', '=', channelId)
    .where('status', '=', pending)
    .orderBy('id', 'desc')
    .limit(kept)
    .offset(waiting)
    .execute();
  if (tooMany.length === 0) return 0;
  await giveUp(tx, tooMany, sql`coalesce(last_error || '; ', '') || ${droppedText}`);
  await planChannel(tx, channelId);
  return tooMany.length;
}

const droppedText = `dropped: more than ${callbackBounds.waiting} results of the job waited`;

/** Counts results that wait to be delivered, up to `limit`. */
export async function countWaitingResults(db: Db, limit: number): Promise<number> {
  const waiting = db
    .selectFrom('channels')
    .innerJoin('deliveries', 'channel_id', 'channels.id')
    .select('deliveries.id')
    .where('next_delivery_at', 'is not', null)
    .where('callback_of', 'is not', null)
    .where('deliveries.status', '=', pending)
    .limit(limit);
  return await countRows(db, waiting.as('waiting'));
}
