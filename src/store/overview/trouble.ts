/**
 * A workspace's runs that were no success: failed, interrupted or missed. They are in an index of their own
 * (docs/decisions/0040-runs-that-were-no-success.md), whose order is that of the list: newest first, and those of one
 * moment by job.
 */

import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import type { RunSource, RunStatus } from '../../domain/runs/run.ts';
import type { Db } from '../database/open.ts';
import { listedColumns } from '../runs/recorded.ts';
import type { ListedRun } from '../runs/recorded.ts';

/** The place of a run in the list. */
export interface TroublePlace {
  scheduledFor: number;
  jobId: string;
  source: RunSource;
}

const place = sql`(scheduled_for, job_id, source)`;

function valuesOf({ scheduledFor, jobId, source }: TroublePlace): RawBuilder<unknown> {
  return sql`(${scheduledFor}, ${jobId}, ${source})`;
}

const newestFirst = sql`scheduled_for desc, job_id desc, source desc`;

/** Where to begin, from which time on, in epoch milliseconds or null, and after how many rows to stop. */
interface Span {
  before: TroublePlace | null;
  since: number | null;
  rows: number;
}

function troubleOf(db: Db, workspaceId: string, { before, since }: Omit<Span, 'rows'>) {
  return db
    .selectFrom('runs')
    .where('trouble_in', '=', workspaceId)
    .$if(since !== null, (query) => query.where('scheduled_for', '>=', since))
    .$if(before !== null, (query) =>
      query.where(sql<boolean>`${place} < ${valuesOf(before as TroublePlace)}`),
    )
    .orderBy(newestFirst);
}

/** Where a list must stop so that it reads `rows` rows at most; undefined if it ends before. */
export async function findTroubleStop(
  db: Db,
  workspaceId: string,
  { rows, ...span }: Span,
): Promise<TroublePlace | undefined> {
  return await troubleOf(db, workspaceId, span)
    .select(['scheduled_for as scheduledFor', 'job_id as jobId', 'source'])
    .limit(1)
    .offset(rows - 1)
    .executeTakeFirst();
}

/** A page of them with these statuses, without those of deleted jobs, down to a place. */
export async function listTrouble(
  db: Db,
  workspaceId: string,
  page: {
    statuses: readonly RunStatus[];
    before: TroublePlace | null;
    since: number | null;
    downTo: TroublePlace | undefined;
    limit: number;
  },
): Promise<ListedRun[]> {
  const { statuses, before, since, downTo, limit } = page;
  return await troubleOf(db, workspaceId, { before, since })
    .innerJoin('jobs', 'jobs.id', 'runs.job_id')
    .select(listedColumns)
    .where('status', 'in', statuses)
    .where('jobs.deleted_at', 'is', null)
    .$if(downTo !== undefined, (query) =>
      query.where(sql<boolean>`${place} >= ${valuesOf(downTo as TroublePlace)}`),
    )
    .limit(limit)
    .execute();
}

/** The jobs with a missed run among the newest `rows` runs that were no success. */
export async function findMissedJobs(
  db: Db,
  workspaceId: string,
  { rows, ...span }: Span,
): Promise<string[]> {
  const found = await db
    .selectFrom(
      troubleOf(db, workspaceId, span)
        .select(['job_id as jobId', 'status'])
        .limit(rows)
        .as('trouble'),
    )
    .select('jobId')
    .distinct()
    .where('status', '=', 'missed')
    .execute();
  return found.map(({ jobId }) => jobId);
}

/** How many runs were no success, by status. */
export interface TroubleCounts {
  failed: number;
  interrupted: number;
  missed: number;
}

/** Counts the newest `rows` of them from an instant on, in epoch milliseconds. */
export async function countTrouble(
  db: Db,
  workspaceId: string,
  { since, rows }: Omit<Span, 'before'>,
): Promise<TroubleCounts> {
  const newest = troubleOf(db, workspaceId, { before: null, since }).select('status').limit(rows);
  const { failed, interrupted, missed } = await db
    .selectFrom(newest.as('trouble'))
    .select([countOf('failed'), countOf('interrupted'), countOf('missed')])
    .executeTakeFirstOrThrow();
  return { failed, interrupted, missed };
}

function countOf<Status extends keyof TroubleCounts>(status: Status) {
  return sql<number>`count(case when status = ${sql.lit(status)} then 1 end)`.as(status);
}
