/** Announce: tells the log, the meter and those who listen what was committed of runs. */

import type { ChangeFeed } from '../../domain/changes.ts';
import type { Meter } from '../../domain/meter.ts';
import type { RunStatus } from '../../domain/runs/run.ts';
import type { Log } from '../../base/log.ts';
import type { FollowUp } from './follow.ts';
import { logEnded, noteDropped } from './run-log.ts';

export interface Hearers {
  log: Log;
  /** Counts runs. */
  meter: Meter;
  /** Hears which runs began and ended. */
  changes: ChangeFeed;
}

/** A run of a workspace, as those who listen know it. */
interface HeardRun {
  runId: string;
  jobId: string;
  workspaceId: string;
}

/** Tells those who listen what a run is now. */
export function announceRun(
  { changes }: Pick<Hearers, 'changes'>,
  { runId: id, jobId, workspaceId }: HeardRun,
  status: RunStatus,
): void {
  if (changes.isHeard) changes.publish(workspaceId, { runs: [{ id, jobId, status }] });
}

/** Tells everybody that a run ended. */
export function announceEnd(
  hearers: Hearers,
  run: Parameters<typeof logEnded>[1] & { claimed: HeardRun },
): void {
  const { claimed, ended } = run;
  const { status, durationMs } = ended;
  logEnded(hearers.log, run);
  const latenessMs = claimed.startedAt - claimed.scheduledFor;
  hearers.meter.runEnded({ status, durationMs, latenessMs });
  announceRun(hearers, claimed, status);
}

/** Tells everybody what follows from facts. */
export function announceFollowUp(
  hearers: Hearers & { readonly wake: (work: 'notify') => void },
  { alerts, posted, queued, dropped }: FollowUp,
): void {
  if (alerts + posted > 0) hearers.wake('notify');
  noteDropped(hearers, dropped);
  for (const { id: runId, jobId, workspaceId } of queued)
    announceRun(hearers, { runId, jobId, workspaceId }, 'queued');
}
