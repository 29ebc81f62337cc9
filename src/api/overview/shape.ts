/** What lists show of jobs and monitors, as the API returns it. */

import { recentCount, type JobWithRecent, type UnderWay } from '../../app/overview/jobs.ts';
import type { MonitorWithRecent } from '../../app/overview/monitors.ts';
import { isoTime, isoTimeOrNull } from '../../domain/clock.ts';
import { monitorDocument } from '../../domain/monitors/document.ts';
import { missedPings, statusSince } from '../../domain/monitors/monitor.ts';
import type { Trouble } from '../../domain/runs/trouble.ts';
import { ruleOf, scheduleOf } from '../../domain/schedule/schedule.ts';
import { scheduleWords } from '../../domain/schedule/words.ts';
import { listedShape } from '../jobs/shape.ts';
import { listedRunShape } from '../runs/shape.ts';
import type * as contract from './contract.ts';

/** A job in a list. */
export function jobSummary(job: JobWithRecent): contract.JobSummary {
  return {
    ...listedShape(job),
    scheduleWords: scheduleWords(scheduleOf(job)),
    health: job.health,
    failures: job.failures,
    failingSince: isoTimeOrNull(job.failingSince),
    key: job.key,
    recent: job.recent,
    ...(job.afterName !== null && { afterName: job.afterName }),
    ...(job.underWay !== null && { run: runUnderWay(job.underWay) }),
  };
}

function runUnderWay({ id, startedAt, percent, line, progressAt }: UnderWay) {
  const at = { startedAt: isoTimeOrNull(startedAt), progressAt: isoTimeOrNull(progressAt) };
  return { id, percent, line, ...at };
}

/** A monitor in a list, at `now` in epoch milliseconds. */
export function monitorSummary(
  { monitor, recent }: MonitorWithRecent,
  now: number,
): contract.MonitorSummary {
  const { notes: _, createdAt: __, ...shown } = monitorDocument(monitor, now);
  const missed = Math.min(missedPings(monitor, now), recentCount);
  return {
    ...shown,
    scheduleWords: scheduleWords(ruleOf({ ...monitor, anchorAt: monitor.createdAt })),
    since: isoTimeOrNull(statusSince(monitor, now)),
    recent: [...recent, ...Array.from({ length: missed }, () => 'missed' as const)].slice(
      -recentCount,
    ),
  };
}

/** A row of trouble. */
export function troubleShape({ last, since, ...row }: Trouble): contract.TroubleRow {
  return {
    ...row,
    from: isoTime(row.from),
    until: isoTime(row.until),
    dueFrom: isoTime(row.dueFrom),
    dueUntil: isoTime(row.dueUntil),
    last: listedRunShape(last),
    since: isoTimeOrNull(since),
  };
}
