/**
 * Follows the runs of a workspace as they end, over the public API. The list of jobs shows which of them have changed, or the
 * caller knows it, and only their runs are requested. Each run is returned once. Under the rate limit of a key, runs may come later, but
 * they stay in order.
 */

import type { Job } from '../../api/jobs/contract.ts';
import type { Run, RunList } from '../../api/runs/contract.ts';
import { JobdError } from '../../domain/errors.ts';
import { isFinal } from '../../domain/runs/run.ts';

/** The requests that it makes. */
export interface RunSource {
  listJobs(): AsyncIterable<Job>;
  listRuns(jobId: string, limit: number, cursor?: string): Promise<RunList>;
}

export interface Follower {
  /**
   * Returns the runs that ended since the last poll, of these jobs or of all, in order. Throws as the client does; the next
   * poll returns all.
   */
  poll(jobIds?: ReadonlySet<string>): Promise<Run[]>;
}

/** What is known of one job. */
interface Followed {
  /** The state of the job when a poll of all jobs last requested its runs; undefined before that. */
  seen: string | undefined;
  /** When its runs were last requested. */
  checkedAt: number;
  /** Due times of its runs that had not ended then. */
  open: number[];
  /** Ids of the runs that have been returned. */
  returned: ReadonlySet<string>;
}

/** How long before a poll a run may have been due without being known: it may have waited for a slot. */
const longestWaitMs = 15 * 60_000;

/** Follows the runs that end from `since` on, in epoch milliseconds. `now` is the clock. */
export function followRuns(source: RunSource, since: number, now: () => number): Follower {
  const jobs = new Map<string, Followed>();
  let polledAt = since;
  let ended: Run[] = [];

  const checkJob = async (job: Job): Promise<void> => {
    const seen = stateOf(job);
    const known = jobs.get(job.id);
    const isQuiet = job.status !== 'running' && known?.seen === seen && known.open.length === 0;
    if (!isQuiet) await checkRuns(job.id, seen);
  };

  const checkRuns = async (jobId: string, seen: string | undefined): Promise<void> => {
    const checkedAt = now();
    const known = jobs.get(jobId);
    const askedAt = Math.max(polledAt, known?.checkedAt ?? -Infinity);
    const floor = Math.min(askedAt - longestWaitMs, ...(known?.open ?? []));
    const runs = await runsDueFrom(source, jobId, floor);
    const over = runs.filter(({ status }) => isFinal(status));
    ended.push(
      ...over.filter((run) => endOf(run) >= since && known?.returned.has(run.id) !== true),
    );
    const open = runs.filter(({ status }) => !isFinal(status)).map(dueOf);
    jobs.set(jobId, { seen, checkedAt, open, returned: new Set(over.map(({ id }) => id)) });
  };

  const checkNamed = async (jobId: string): Promise<void> => {
    try {
      await checkRuns(jobId, jobs.get(jobId)?.seen);
    } catch (error) {
      // The job was deleted, with its runs.
      if (!(error instanceof JobdError) || error.code !== 'not_found') throw error;
      jobs.delete(jobId);
    }
  };

  return {
    async poll(jobIds) {
      const begunAt = now();
      if (jobIds !== undefined) for (const id of jobIds) await checkNamed(id);
      else {
        for await (const job of source.listJobs()) await checkJob(job);
        polledAt = begunAt;
      }
      const fresh = ended.toSorted((one, other) => endOf(one) - endOf(other));
      ended = [];
      return fresh;
    },
  };
}

/** Everything that a run changes about its job. */
function stateOf({ lastRunAt, lastDurationMs, nextRunAt, downReason }: Job): string {
  return JSON.stringify([lastRunAt, lastDurationMs, nextRunAt, downReason]);
}

function dueOf({ scheduledFor }: Run): number {
  return Date.parse(scheduledFor);
}

/** A missed run has no end: its due time counts. */
function endOf({ finishedAt, scheduledFor }: Run): number {
  return Date.parse(finishedAt ?? scheduledFor);
}

/** The runs of a job that were due at `floor` or later, page by page. */
async function runsDueFrom(source: RunSource, jobId: string, floor: number): Promise<Run[]> {
  const found: Run[] = [];
  let cursor: string | undefined;
  for (;;) {
    const page = await source.listRuns(jobId, 100, cursor);
    const wanted = page.runs.filter((run) => dueOf(run) >= floor);
    found.push(...wanted);
    if (wanted.length < page.runs.length || page.nextCursor === null) return found;
    cursor = page.nextCursor;
  }
}
