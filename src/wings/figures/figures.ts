/** How often the runs of a job succeeded in the last day, week and month, and how long they took. */

import { setImmediate } from 'node:timers/promises';
import type { Ground, Principal } from '../../app/app.ts';
import { requireJob } from '../../app/jobs/keep-job.ts';
import { inSteps } from '../../app/steps.ts';
import { msPerDay } from '../../domain/clock.ts';
import { percentile } from '../../domain/runs/days.ts';
import type { Outcomes } from '../../domain/runs/rate.ts';
import { badRunStatuses } from '../../domain/runs/run.ts';
import { listFigures, listHistory } from '../../store/runs/history.ts';
import type { RunPosition } from '../../store/runs/runs.ts';
import { countRunsFrom, findStanding } from './query.ts';

/** In days. */
export const periods = [1, 7, 30] as const;
/** Runs that one statement reads: some milliseconds. */
const runsPerStep = 1_000;
const most = { bad: 10, answered: 5 };

/** How long runs took that were answered, in milliseconds: values that occurred. */
export interface Durations {
  p50Ms: number;
  p95Ms: number;
  p99Ms: number;
  /** Of how many. */
  runs: number;
}

/** What became of the runs of a job in the last days. Missed are due times. */
export interface PeriodFigures extends Outcomes {
  days: number;
  /** Null without an answer. */
  durations: Durations | null;
  /** From when on runs are counted, in epoch milliseconds, if not for all days: others were removed, or are too many. */
  countedFrom: number | null;
}

/** The figures of a job, for each of `periods`. Throws `not_found`. */
export async function figuresOf(
  { store: { db }, clock }: Ground,
  principal: Principal,
  jobId: string,
): Promise<PeriodFigures[]> {
  const { id } = await requireJob(db, principal, jobId);
  const now = clock.now();
  const { historyFrom, queued, running } = await findStanding(db, id);
  const earliest = now - periods[2] * msPerDay;
  const downTo: RunPosition = { scheduledFor: earliest, source: 'manual' };
  const limit = runsPerStep;
  const bad = await readBack(most.bad, (before) =>
    listHistory(db, id, { statuses: badRunStatuses, before, downTo, limit }),
  );
  const answered = await readBack(most.answered, (before) =>
    listFigures(db, id, { from: earliest, before, limit }),
  );
  // What was due at the place where it stopped may be read in part.
  const badFrom = bad.stop === undefined ? earliest : bad.stop.scheduledFor + 1;
  const figures: PeriodFigures[] = [];
  for (const days of periods) {
    const begin = now - days * msPerDay;
    const from = Math.max(begin, historyFrom + 1, badFrom);
    const counts: Outcomes = { success: 0, failed: 0, interrupted: 0, missed: 0 };
    let others = queued + running;
    for (const { scheduledFor, status, missed } of bad.found) {
      if (scheduledFor < from) break;
      others += 1;
      if (status !== 'queued' && status !== 'running') counts[status] += missed?.count ?? 1;
    }
    // A run may have ended between two of these statements.
    counts.success = Math.max(0, (await countRunsFrom(db, id, from)) - others);
    const durations = durationsOf(
      answered.found.flatMap(({ scheduledFor, durationMs }) =>
        scheduledFor < from || durationMs === null ? [] : [durationMs],
      ),
    );
    figures.push({ days, ...counts, durations, countedFrom: from > begin ? from : null });
    await setImmediate();
  }
  return figures;
}

/** Reads the newest runs in at most so many steps. */
function readBack<Run extends RunPosition>(
  steps: number,
  read: (before: RunPosition | null) => Promise<Run[]>,
) {
  return inSteps<Run, RunPosition>({ steps, after: null, count: Infinity }, async (before) => {
    const found = await read(before);
    return { found, stop: found.length < runsPerStep ? undefined : found.at(-1) };
  });
}

function durationsOf(given: readonly number[]): Durations | null {
  const sorted = given.toSorted((one, other) => one - other);
  const at = (share: number): number => percentile(sorted, share) ?? 0;
  if (sorted.length === 0) return null;
  return { p50Ms: at(0.5), p95Ms: at(0.95), p99Ms: at(0.99), runs: sorted.length };
}
