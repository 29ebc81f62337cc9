/** Turns what the domain knows into what the contract shows. */

import type { Me } from '../app/me.ts';
import { isoTime } from '../domain/clock.ts';
import { jobStatus } from '../domain/job.ts';
import type { Job } from '../domain/job.ts';
import type { Run } from '../domain/run.ts';
import type { Preview } from '../domain/schedule/preview.ts';
import type * as contract from './contract.ts';
import type * as contractOfMe from './me-contract.ts';
import type { SchedulePreview } from './schedule-contract.ts';

/** A job as the contract shows it: header values stay here. */
export function jobShape(job: Job): contract.Job {
  return {
    id: job.id,
    name: job.name,
    url: job.url,
    method: job.method,
    headerNames: Object.keys(job.headers),
    body: job.body,
    scheduleType: job.scheduleType,
    cronExpr: job.cronExpr,
    timezone: job.timezone,
    periodSeconds: job.periodSeconds,
    timeoutSeconds: job.timeoutSeconds,
    retries: job.retries,
    notes: job.notes,
    paused: job.paused,
    status: jobStatus(job),
    nextRunAt: isoTimeOrNull(job.nextRunAt),
    lastRunAt: isoTimeOrNull(job.lastRunAt),
    lastDurationMs: job.lastDurationMs,
    downReason: job.downReason,
    createdAt: isoTime(job.createdAt),
  };
}

/** A run as the contract shows it. */
export function runShape(run: Run): contract.Run {
  return {
    ...run,
    scheduledFor: isoTime(run.scheduledFor),
    startedAt: isoTimeOrNull(run.startedAt),
    finishedAt: isoTimeOrNull(run.finishedAt),
  };
}

/** A look at a schedule as the contract shows it. */
export function previewShape({ next, notes }: Preview): SchedulePreview {
  return { next: next.map(isoTime), notes };
}

/** What a key stands for as the contract shows it. */
export function meShape(me: Me): contractOfMe.Me {
  return { ...me, trialEndsAt: isoTimeOrNull(me.trialEndsAt) };
}

function isoTimeOrNull(at: number | null): string | null {
  return at === null ? null : isoTime(at);
}
