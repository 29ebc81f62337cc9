/**
 * Follows the runs of a workspace as they end, over the public API, by the list of runs: events name those that changed, and without
 * events everything is asked about. Each run is returned once. Under the rate limit of a key, runs may come later.
 */

import type { ListedRun } from '../../api/runs/contract.ts';
import { isoTime } from '../../domain/clock.ts';
import { JobdError } from '../../domain/errors.ts';
import { isFinal, type RunStatus } from '../../domain/runs/run.ts';

/** The requests that it makes. */
export interface RunSource {
  /** Runs, newest first: those that were due since a time, or with one of these statuses. */
  list(filter: { since: string } | { status: string }): AsyncIterable<ListedRun>;
  get(jobId: string, id: string): Promise<ListedRun>;
}

/** Runs that changed, by their ids. */
export type Changes = ReadonlyMap<string, { jobId: string; status: RunStatus }>;

export interface Follower {
  /** Returns the runs that ended since the last poll, in order: all, or those of `changes`. Throws as the client; the next returns all. */
  poll(changes?: Changes): Promise<ListedRun[]>;
}

/** How long before a poll a run may have been due without being known: it waits for a slot for a minute at most. */
const slackMs = 2 * 60_000;
/** The same for runs that are over: how long one that waits for no report may have taken. */
const longestRunMs = 15 * 60_000;

/** Follows the runs that end from `since` on, in epoch milliseconds. `now` is the clock. */
export function followRuns(source: RunSource, since: number, now: () => number): Follower {
  let polledAt = since < now() - slackMs ? since - longestRunMs : since;
  /** The jobs of runs that were under way. */
  let open = new Map<string, string>();
  /** The jobs of runs that ended and are not returned yet. */
  const owed = new Map<string, string>();
  /** When runs were returned, by their ids: as long as a poll may find them again. */
  const returned = new Map<string, number>();

  return {
    async poll(changes) {
      const begunAt = now();
      const isAll = changes === undefined;
      for (const [id, { jobId, status }] of changes ?? []) {
        (isFinal(status) ? owed : open).set(id, jobId);
      }
      if (!isAll && owed.size === 0) return [];
      const stillOpen = isAll ? new Map<string, string>() : open;
      if (isAll) {
        const underWay = source.list({ status: 'queued,running' });
        for await (const { id, job } of underWay) stillOpen.set(id, job.id);
      }
      const found = new Map<string, ListedRun>();
      const wanted = new Set(owed.keys().filter((id) => !returned.has(id)));
      for await (const run of source.list({ since: isoTime(polledAt - slackMs) })) {
        if (isFinal(run.status)) found.set(run.id, run);
        else stillOpen.set(run.id, run.job.id);
        wanted.delete(run.id);
        if (!isAll && wanted.size === 0) break;
      }
      if (isAll) for (const id of open.keys()) if (!stillOpen.has(id)) wanted.add(id);
      for (const id of wanted) {
        const run = found.has(id) ? null : await find(source, owed.get(id) ?? open.get(id), id);
        if (run !== null && isFinal(run.status)) found.set(id, run);
      }
      // Nothing fails from here on.
      const fresh = [...found.values()].filter(
        (run) => endOf(run) >= since && !returned.has(run.id),
      );
      polledAt = begunAt;
      for (const [id, at] of returned) if (at < polledAt - slackMs) returned.delete(id);
      for (const { id } of fresh) returned.set(id, begunAt);
      for (const id of [...found.keys(), ...owed.keys()]) stillOpen.delete(id);
      open = stillOpen;
      owed.clear();
      return fresh.toSorted((one, other) => endOf(one) - endOf(other));
    },
  };
}

/** A run by its id; null if it is gone, as with its job. */
async function find(
  source: RunSource,
  jobId: string | undefined,
  id: string,
): Promise<ListedRun | null> {
  try {
    return jobId === undefined ? null : await source.get(jobId, id);
  } catch (error) {
    if (!(error instanceof JobdError) || error.code !== 'not_found') throw error;
    return null;
  }
}

/** A missed run has no end: its due time counts. */
function endOf({ finishedAt, scheduledFor }: ListedRun): number {
  return Date.parse(finishedAt ?? scheduledFor);
}
