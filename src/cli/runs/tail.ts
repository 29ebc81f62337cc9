/**
 * Follows the runs of a workspace as they end, over the same API that everybody has: the list of jobs says which of
 * them have moved, and only their runs are asked for. Nothing is told twice, and what there is too much of for the
 * rate limit of a key comes later, in its order.
 */

import type { Job, Run, RunList } from '../../api/contract.ts';
import { isFinal } from '../../domain/runs/run.ts';

/** What it asks. */
export interface Asks {
  listJobs(): AsyncIterable<Job>;
  listRuns(jobId: string, limit: number, cursor?: string): Promise<RunList>;
}

export interface Follower {
  /** Runs that have ended since the last look, in that order. Throws as the client does; nothing is lost by that. */
  look(): Promise<Run[]>;
}

/** What is known of one job. */
interface Followed {
  /** How the job looked when its runs were asked for last. */
  looked: string;
  /** When those of its runs were due that were under way. */
  open: number[];
  told: ReadonlySet<string>;
}

/** How long before a look a run may have been due that is not known to be under way: it may wait for a slot. */
const longestWaitMs = 15 * 60_000;

/** Follows what ends from `since` on. `now` gives the time; both are epoch milliseconds. */
export function followRuns(asks: Asks, since: number, now: () => number): Follower {
  const jobs = new Map<string, Followed>();
  let lookedAt = since;
  let ended: Run[] = [];

  const lookAt = async (job: Job): Promise<void> => {
    const looked = appearance(job);
    const known = jobs.get(job.id);
    const isQuiet = job.status !== 'running' && known?.looked === looked && known.open.length === 0;
    if (isQuiet) return;
    const floor = Math.min(lookedAt - longestWaitMs, ...(known?.open ?? []));
    const runs = await runsDueFrom(asks, job.id, floor);
    const over = runs.filter(({ status }) => isFinal(status));
    ended.push(...over.filter((run) => endOf(run) >= since && known?.told.has(run.id) !== true));
    const open = runs.filter(({ status }) => !isFinal(status)).map(dueOf);
    jobs.set(job.id, { looked, open, told: new Set(over.map(({ id }) => id)) });
  };

  return {
    async look() {
      const begunAt = now();
      for await (const job of asks.listJobs()) await lookAt(job);
      lookedAt = begunAt;
      const news = ended.toSorted((one, other) => endOf(one) - endOf(other));
      ended = [];
      return news;
    },
  };
}

/** Whatever a run changes about its job. */
function appearance({ lastRunAt, lastDurationMs, nextRunAt, downReason }: Job): string {
  return JSON.stringify([lastRunAt, lastDurationMs, nextRunAt, downReason]);
}

function dueOf({ scheduledFor }: Run): number {
  return Date.parse(scheduledFor);
}

/** A missed run has no end: that it was due is what is known. */
function endOf({ finishedAt, scheduledFor }: Run): number {
  return Date.parse(finishedAt ?? scheduledFor);
}

/** The runs of a job that were due from then on, page after page. */
async function runsDueFrom(asks: Asks, jobId: string, floor: number): Promise<Run[]> {
  const found: Run[] = [];
  let cursor: string | undefined;
  for (;;) {
    const page = await asks.listRuns(jobId, 100, cursor);
    const wanted = page.runs.filter((run) => dueOf(run) >= floor);
    found.push(...wanted);
    if (wanted.length < page.runs.length || page.nextCursor === null) return found;
    cursor = page.nextCursor;
  }
}
