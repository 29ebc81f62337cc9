/** The last results of each row of a list, for all rows in one statement. */

import { sql } from 'kysely';
import type { PingKind } from '../../domain/monitors/ping.ts';
import type { RecentStatus, RunSource, RunStatus } from '../../domain/runs/run.ts';
import { joinInOrder, numberOf, rowsOf, textOf } from '../database/dialect.ts';
import type { Db } from '../database/store.ts';
import { isWithoutRow } from '../runs/runs.ts';

export interface RecentRuns {
  /** Their statuses, oldest first. */
  statuses: RecentStatus[];
  /** The one that is under way; its begin in epoch milliseconds. */
  underWay: { id: string; startedAt: number | null; httpStatus: number | null } | null;
}

/** A row of the statement below: of most runs only what has a column of its own here. */
interface RecentRow {
  jobId: string;
  status: RunStatus;
  scheduledFor: number;
  source: RunSource;
  /** Of a run that is under way or was missed. */
  id: string | null;
  /** Of one that is under way. */
  startedAt: number | null;
  httpStatus: number | null;
  /** The missed run that it made up for, by a success. */
  madeUp: string | null;
}

/** The newest `count` runs of each job. It looks for the oldest of them in the index, and reads from there on. */
export async function findRecentRuns(
  db: Db,
  jobIds: readonly string[],
  count: number,
): Promise<Map<string, RecentRuns>> {
  const id = textOf('id');
  const listed = rowsOf(jobIds.map((jobId) => ({ id: jobId })));
  const { rows } = await sql<RecentRow>`
    select jobs.id as "jobId", 'running' as status, active_for as "scheduledFor",
      'scheduled' as source, active_run_id as id, active_since as "startedAt",
      null as "httpStatus", null as "madeUp"
    from ${listed} ${joinInOrder} jobs on jobs.id = ${id}
    where ${isWithoutRow}
    union all
    select runs.job_id, runs.status, runs.scheduled_for, runs.source,
      case when runs.status in ('running', 'missed') then runs.id end,
      case when runs.status = 'running' then runs.started_at end,
      case when runs.status = 'running' then runs.http_status end,
      case when runs.status = 'success' and runs.cause_job_id = runs.job_id
        then runs.cause_run_id end
    from ${listed}
    ${joinInOrder} runs on runs.job_id = ${id}
      and runs.scheduled_for >= coalesce((select oldest.scheduled_for from runs as oldest
        where oldest.job_id = ${id} order by oldest.scheduled_for desc
        limit 1 offset ${sql.lit(count - 1)}), 0)`.execute(db);
  const ofJobs = Map.groupBy(rows, ({ jobId }) => jobId);
  return new Map(
    Array.from(ofJobs, ([jobId, runs]) => {
      const inOrder = runs.toSorted(
        (one, other) =>
          one.scheduledFor - other.scheduledFor || (one.source < other.source ? -1 : 1),
      );
      const madeUp = new Set(runs.map((run) => run.madeUp));
      // Two runs of one moment may be one too many.
      const statuses = inOrder.slice(-count).map((run): RecentStatus => {
        return run.status === 'missed' && madeUp.has(run.id) ? 'made_up' : run.status;
      });
      const active = runs.find(({ status }) => status === 'running');
      const underWay = active?.id ? { ...active, id: active.id } : null;
      return [jobId, { statuses, underWay }];
    }),
  );
}

/** A monitor with the number of its newest ping. */
interface Pinged {
  id: string;
  pingCount: number;
}

/**
 * The kinds of the newest `count` pings of each monitor that ended a run, oldest first; of a task that also reports its
 * starts, fewer if they make up more than half of the newest pings.
 */
export async function findRecentPings(
  db: Db,
  monitors: readonly Pinged[],
  count: number,
): Promise<Map<string, Exclude<PingKind, 'start'>[]>> {
  const listed = monitors.map(({ id, pingCount }) => ({ id, after: pingCount - 2 * count }));
  const { rows } = await sql<{
    monitorId: string;
    number: number;
    kind: Exclude<PingKind, 'start'>;
  }>`
    select pings.monitor_id as "monitorId", pings.number, pings.kind
    from ${rowsOf(listed)}
    ${joinInOrder} pings on pings.monitor_id = ${textOf('id')} and pings.number > ${numberOf('after')}
    where pings.kind <> 'start'`.execute(db);
  const ofMonitors = Map.groupBy(rows, ({ monitorId }) => monitorId);
  return new Map(
    Array.from(ofMonitors, ([monitorId, pings]) => {
      const inOrder = pings.toSorted((one, other) => one.number - other.number);
      return [monitorId, inOrder.slice(-count).map(({ kind }) => kind)];
    }),
  );
}
