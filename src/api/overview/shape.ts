/** What lists show of jobs and monitors, as the API returns it. */

import type { JobWithRecent } from '../../app/overview/jobs.ts';
import type { MonitorWithRecent } from '../../app/overview/monitors.ts';
import { isoTimeOrNull } from '../../domain/clock.ts';
import { jobStatus } from '../../domain/jobs/job.ts';
import { monitorDocument } from '../../domain/monitors/document.ts';
import { statusSince } from '../../domain/monitors/monitor.ts';
import { scheduleOf } from '../../domain/schedule/schedule.ts';
import { scheduleWords } from '../../domain/schedule/words.ts';
import type * as contract from './contract.ts';

/** A job in a list. */
export function jobSummary(job: JobWithRecent): contract.JobSummary {
  return {
    id: job.id,
    name: job.name,
    url: job.url,
    method: job.method,
    scheduleType: job.scheduleType,
    cronExpr: job.cronExpr,
    timezone: job.timezone,
    periodSeconds: job.periodSeconds,
    scheduleWords: scheduleWords(scheduleOf(job)),
    paused: job.paused,
    status: jobStatus(job),
    health: job.health,
    nextRunAt: isoTimeOrNull(job.nextRunAt),
    lastRunAt: isoTimeOrNull(job.lastRunAt),
    lastDurationMs: job.lastDurationMs,
    downReason: job.downReason,
    failures: job.failures,
    failingSince: isoTimeOrNull(job.failingSince),
    key: job.key,
    recent: job.recent,
    ...(job.after !== null && { after: job.after }),
  };
}

/** A monitor in a list, at `now` in epoch milliseconds. */
export function monitorSummary(
  { monitor, recent }: MonitorWithRecent,
  now: number,
): contract.MonitorSummary {
  const { notes: _, createdAt: __, ...shown } = monitorDocument(monitor, now);
  return {
    ...shown,
    scheduleWords: scheduleWords(scheduleOf({ ...monitor, anchorAt: monitor.createdAt })),
    since: isoTimeOrNull(statusSince(monitor, now)),
    recent,
  };
}
