/** The last results of each row of a list, for all rows in one statement. */

import { sql } from 'kysely';
import type { PingKind } from '../../domain/monitors/ping.ts';
import type { RunSource, RunStatus } from '../../domain/runs/run.ts';
import { joinInOrder, numberOf, rowsOf, textOf } from '../database/dialect.ts';
import type { Db } from '../database/store.ts';
import { isWithoutRow } from '../runs/runs.ts';

/**
 * The statuses of the newest `count` runs of each job, oldest first. It looks for the oldest of them in the index, and reads
 * from there on.
 */
export async function findRecentRuns(
  db: Db,
  jobIds: readonly string[],
  count: number,
): Promise<Map<string, RunStatus[]>> {
  const id = textOf('id', 'listed.value');
  const listed = sql`${rowsOf(jobIds.map((jobId) => ({ id: jobId })))} as listed`;
  const { rows } = await sql<{
    jobId: string;
    status: RunStatus;
    scheduledFor: number;
    source: RunSource;
  }>`
    select jobs.id as "jobId", 'running' as status, active_for as "scheduledFor",
      'scheduled' as source
    from ${listed} ${joinInOrder} jobs on jobs.id = ${id}
    where ${isWithoutRow}
    union all
    select runs.job_id, runs.status, runs.scheduled_for, runs.source
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
      // Two runs of one moment may be one too many.
      return [jobId, inOrder.slice(-count).map(({ status }) => status)];
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
    from ${rowsOf(listed)} as listed
    ${joinInOrder} pings on pings.monitor_id = ${textOf('id', 'listed.value')}
      and pings.number > ${numberOf('after', 'listed.value')}
    where pings.kind <> 'start'`.execute(db);
  const ofMonitors = Map.groupBy(rows, ({ monitorId }) => monitorId);
  return new Map(
    Array.from(ofMonitors, ([monitorId, pings]) => {
      const inOrder = pings.toSorted((one, other) => one.number - other.number);
      return [monitorId, inOrder.slice(-count).map(({ kind }) => kind)];
    }),
  );
}
