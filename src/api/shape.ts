/** Turns what the domain knows into what the contract shows. */

import type { Me } from '../app/accounts/me.ts';
import { isoTime, isoTimeOrNull } from '../domain/clock.ts';
import { jobStatus } from '../domain/jobs/job.ts';
import type { Job } from '../domain/jobs/job.ts';
import type { Permission } from '../domain/accounts/key.ts';
import { monitorDocument } from '../domain/monitors/document.ts';
import type { Monitor } from '../domain/monitors/monitor.ts';
import type { Ping } from '../domain/monitors/ping.ts';
import type { Preview } from '../domain/schedule/preview.ts';
import type * as contract from './contract.ts';
import type * as contractOfMe from './accounts/me-contract.ts';
import type * as monitorContract from './monitors/contract.ts';
import type { SchedulePreview } from './jobs/schedule-contract.ts';

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

/**
 * A monitor as the contract shows it at `now`; its pings go to this site. Who may only read does not learn
 * the URL: to ping is to change something.
 */
export function monitorShape(
  monitor: Monitor,
  { siteUrl, permission, now }: { siteUrl: string; permission: Permission; now: number },
): monitorContract.Monitor {
  const pingUrl = permission === 'write' ? `${siteUrl}/ping/${monitor.pingId}` : null;
  return { ...monitorDocument(monitor, now), pingUrl };
}

/** A ping as the contract shows it. */
export function pingShape(ping: Ping): monitorContract.Ping {
  return {
    id: ping.id,
    kind: ping.kind,
    exitCode: ping.exitCode,
    receivedAt: isoTime(ping.receivedAt),
    durationMs: ping.durationMs,
    body: ping.body,
    truncated: ping.truncated,
    source: ping.method,
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
