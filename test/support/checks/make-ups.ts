/**
 * What becomes of due times that were missed or called again (docs/behavior.md#makeup-1, docs/behavior.md#replay-3), read from the file of
 * a data directory: none succeeds twice, and the newest one that a job missed is made up for once, or its missed run says why not.
 */

import { join } from 'node:path';
import Database from 'better-sqlite3';
import { timeOfId } from '../../../src/domain/id.ts';

interface Job {
  id: string;
  name: string;
  make_up_seconds: number | null;
  /** Null for one that is called once. */
  step_ms: number | null;
}

interface Run {
  id: string;
  status: string;
  /** The due time that it stands for; null for one that was asked for. */
  due: number | null;
  scheduled_for: number;
  started_at: number | null;
  duration_ms: number | null;
  last_due_at: number | null;
  cause_run_id: string | null;
  /** Of a missed run, that the one which made up for it was dropped. */
  detail: string | null;
}

/** How late a call may begin. */
const latestStartMs = 60_000;

const jobs = `
  select id, name, make_up_seconds,
    case when adjustments like '%runAt%' then null
      when schedule_type = 'cron' then 60000 else period_seconds * 1000 end as step_ms
  from jobs where deleted_at is null`;

const runs = `
  select id, status, scheduled_for, started_at, duration_ms, last_due_at, cause_run_id,
    detail, coalesce(due_at, case when source = 'scheduled' then scheduled_for end) as due
  from runs where job_id = ?`;

/** What was counted: missed runs that one makes up for, and those whose make-up was dropped. */
export interface MadeUp {
  made: number;
  dropped: number;
}

/** Adds to `counts`, and returns what is wrong, as sentences. Jobs have a period, or are due each minute or once. */
export function auditMakeUps(dataDir: string, counts: MadeUp): string[] {
  const database = new Database(join(dataDir, 'jobd.db'), { readonly: true });
  try {
    const runsOf = database.prepare<[string], Run>(runs);
    const all = database.prepare<[], Job>(jobs).all();
    return all.flatMap((job) => auditJob(job, runsOf.all(job.id), counts));
  } finally {
    database.close();
  }
}

function auditJob(job: Job, own: readonly Run[], counts: MadeUp): string[] {
  const succeeded = own.filter(({ status, due }) => status === 'success' && due !== null);
  const twice = [...Map.groupBy(succeeded, ({ due }) => due)].filter(([, all]) => all.length > 1);
  const missed = own.filter(({ status }) => status === 'missed');
  return [
    ...twice.map(([due]) => `${job.name}: due time ${due} succeeded twice`),
    ...missed.flatMap((run) => {
      const made = own.filter(({ cause_run_id: cause }) => cause === run.id);
      const isDropped = run.detail !== null;
      counts.made += made.length;
      counts.dropped += Number(isDropped);
      const [first] = made;
      const right = Number(isExpected(job, run, own) && !isDropped);
      if (made.length !== right) {
        return [`${job.name}: ${made.length} runs make up for ${run.id} instead of ${right}`];
      }
      if (first === undefined || first.due === run.last_due_at) return [];
      return [`${job.name}: ${first.id} makes up for ${first.due} instead of ${run.last_due_at}`];
    }),
  ];
}

/** Whether a missed run was to be made up for, when it was recorded. */
function isExpected(
  { make_up_seconds: bound, step_ms: stepMs }: Job,
  { id, last_due_at: last }: Run,
  own: readonly Run[],
): boolean {
  if (bound === null || last === null) return false;
  const at = timeOfId(id);
  const isNewest = stepMs === null || last + stepMs > at;
  const isBusy = own.some(({ started_at: from, duration_ms: durationMs }) => {
    return from !== null && from <= last + latestStartMs && from + (durationMs ?? 0) > last;
  });
  return isNewest && !isBusy && at - last <= bound * 1_000;
}
