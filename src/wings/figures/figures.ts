/** How often the runs of a job succeeded in the last day, week and month, and how long they took. */

import { setImmediate } from 'node:timers/promises';
import type { Ground, Principal } from '../../app/app.ts';
import { requireJob } from '../../app/jobs/keep-job.ts';
import { msPerDay } from '../../domain/clock.ts';
import type { Outcomes } from '../../domain/runs/rate.ts';
import type { RunPosition } from '../../store/runs/runs.ts';
import { countRunsFrom, findStanding, listBadRuns, listDurations, type Part } from './query.ts';

/** In days. */
export const periods = [1, 7, 30] as const;
/** Runs that one statement reads: some milliseconds. */
const runsAtOnce = 1_000;
const mostBad = 10_000;
const mostDurations = 5_000;

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
  const bad = await readBack((part) => listBadRuns(db, id, part), earliest, mostBad);
  const ended = await readBack((part) => listDurations(db, id, part), earliest, mostDurations);
  const figures: PeriodFigures[] = [];
  for (const days of periods) {
    const begin = now - days * msPerDay;
    const from = Math.max(begin, historyFrom + 1, bad.from);
    const counts: Outcomes = { success: 0, failed: 0, interrupted: 0, missed: 0 };
    let others = queued + running;
    for (const { scheduledFor, status, missedCount } of bad.runs) {
      if (scheduledFor < from) break;
      others += 1;
      if (status !== 'queued' && status !== 'running') counts[status] += missedCount ?? 1;
    }
    // A run may have ended between two of these statements.
    counts.success = Math.max(0, (await countRunsFrom(db, id, from)) - others);
    const durations = durationsOf(
      ended.runs.flatMap(({ scheduledFor, durationMs }) =>
        scheduledFor < from || durationMs === null ? [] : [durationMs],
      ),
    );
    figures.push({ days, ...counts, durations, countedFrom: from > begin ? from : null });
    await setImmediate();
  }
  return figures;
}

/** Reads the newest runs, at most about `most`. Returns from when on they are all there. */
async function readBack<Run extends RunPosition>(
  list: (part: Part) => Promise<Run[]>,
  from: number,
  most: number,
): Promise<{ runs: Run[]; from: number }> {
  const runs: Run[] = [];
  let before: RunPosition = { scheduledFor: Number.MAX_SAFE_INTEGER, source: 'scheduled' };
  for (; ; await setImmediate()) {
    const found = await list({ from, before, limit: runsAtOnce });
    runs.push(...found);
    before = found.at(-1) ?? before;
    if (found.length < runsAtOnce) return { runs, from };
    if (runs.length >= most) return { runs, from: before.scheduledFor + 1 };
  }
}

function durationsOf(given: readonly number[]): Durations | null {
  const inOrder = given.toSorted((one, other) => one - other);
  const at = (share: number): number => inOrder[Math.ceil(inOrder.length * share) - 1] ?? 0;
  if (inOrder.length === 0) return null;
  return { p50Ms: at(0.5), p95Ms: at(0.95), p99Ms: at(0.99), runs: inOrder.length };
}
