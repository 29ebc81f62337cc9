/** Pausing, resuming and deleting many jobs: their schedules are read and written, and nothing sealed. */

import type { ActedJob } from '../../domain/jobs/actions.ts';
import { spanChange } from '../../domain/schedule/span.ts';
import { scheduleColumns } from '../database/columns.ts';
import { idList, locksRows, rowLock } from '../database/dialect.ts';
import type { Db } from '../database/store.ts';
import { statement, statementForEach, type Parameters } from '../database/statement.ts';
import { afterIn, dropChainedRuns } from './chains.ts';
import { keepSpans } from './schedule-spans.ts';

/** The jobs of a workspace with these ids, as far as there are any. In a transaction nobody else changes them until it ends. */
export async function findActedJobs(
  db: Db,
  workspaceId: string,
  ids: readonly string[],
): Promise<ActedJob[]> {
  const rows = await db
    .selectFrom('jobs')
    .select([
      'id',
      'name',
      ...scheduleColumns,
      'timeout_seconds as timeoutSeconds',
      'paused',
      'active_run_id as activeRunId',
      'next_run_at as nextRunAt',
      'after_job_id',
      'after_on',
    ])
    .where('id', 'in', idList(ids))
    .where('workspace_id', '=', workspaceId)
    .where('deleted_at', 'is', null)
    .$if(locksRows(db), (query) => query.orderBy('id').modifyEnd(rowLock('jobs')))
    .execute();
  return rows.map(({ paused, after_job_id, after_on, ...row }) =>
    Object.assign(row, { paused: paused === 1, after: afterIn({ after_job_id, after_on }) }),
  );
}

const activeRunOf = statement((db: Db, of: Parameters<{ id: string }>) =>
  db.selectFrom('jobs').select('active_run_id').where('id', '=', of('id')).compile(),
);

/** The run of a job that is under way; null if none is. */
export async function findActiveRunId(db: Db, id: string): Promise<string | null> {
  const [row] = await activeRunOf(db, { id });
  return row?.active_run_id ?? null;
}

interface ScheduleState {
  id: string;
  paused: number;
  anchorAt: number;
  nextRunAt: number | null;
}

const updateState = statementForEach((db: Db, of: Parameters<ScheduleState>) =>
  db
    .updateTable('jobs')
    .set({ paused: of('paused'), anchor_at: of('anchorAt'), next_run_at: of('nextRunAt') })
    .where('id', '=', of('id'))
    .compile(),
);

/** A job before and after an action. */
interface Acted {
  before: ActedJob;
  after: ActedJob;
}

/** Keeps which jobs are paused from `now` on, and when they are due next. Only in the transaction that found them. */
export async function keepScheduleStates(
  tx: Db,
  jobs: readonly Acted[],
  now: number,
): Promise<void> {
  const changes = jobs.map(({ before, after }) =>
    spanChange(before, after, { at: now, reason: 'paused' }),
  );
  await keepSpans(tx, changes);
  const states = jobs.map(({ after }) => after);
  const pausedIds = states.filter((job) => job.paused).map(({ id }) => id);
  if (pausedIds.length > 0) await dropChainedRuns(tx, pausedIds);
  const rows = states.map(({ id, paused, anchorAt, nextRunAt }) => {
    return { id, paused: paused ? 1 : 0, anchorAt, nextRunAt };
  });
  await updateState(tx, rows);
}
