/** Trouble of a workspace as people tell it: the rows of `domain/runs/trouble.ts`, page by page. */

import { setImmediate } from 'node:timers/promises';
import type { Selector } from '../../domain/labels.ts';
import { badRunStatuses } from '../../domain/runs/run.ts';
import { groupTrouble, type JobNow } from '../../domain/runs/trouble.ts';
import type { Trouble, TroubleKind } from '../../domain/runs/trouble.ts';
import { findJobsNow } from '../../store/overview/trouble.ts';
import type { Ground, Principal } from '../app.ts';
import type { PageRequest, PartialPage } from '../page.ts';
import { listAllRuns, mostRuns, runCursor, runsPerStep, type ListedRun } from '../runs/all-runs.ts';

/** What is asked. Times are epoch milliseconds, null for all. */
export interface TroubleRequest extends PageRequest {
  kind: TroubleKind | null;
  since: number | null;
  until: number | null;
  /** Only runs of jobs whose labels fit now. */
  selector?: Selector | null;
}

/** A page of the rows, by their newest runs. Throws `invalid_input` for a cursor of another list. */
export async function listTrouble(
  app: Pick<Ground, 'store' | 'clock'>,
  principal: Principal,
  { kind, limit, ...request }: TroubleRequest,
): Promise<PartialPage<Trouble>> {
  const grouped = groupTrouble(limit, app.clock.now(), kind);
  const jobs = new Map<string, JobNow>();
  let { cursor } = request;
  let last: ListedRun | null = null;
  for (let read = 0; read < mostRuns; read += runsPerStep) {
    const wanted = { ...request, statuses: badRunStatuses, limit: runsPerStep, cursor };
    const { items: runs, nextCursor } = await listAllRuns(app, principal, wanted, runsPerStep);
    const fresh = new Set(runs.flatMap(({ jobId }) => (jobs.has(jobId) ? [] : jobId)));
    if (fresh.size > 0) {
      for (const [id, job] of await findJobsNow(app.store.db, [...fresh])) jobs.set(id, job);
    }
    for (const run of runs) {
      const job = jobs.get(run.jobId);
      if (job !== undefined && !grouped.add(run, job)) {
        const end = last === null ? cursor : runCursor(last);
        return { items: grouped.rows(), nextCursor: end, isPartial: false };
      }
      last = run;
    }
    cursor = nextCursor;
    if (cursor === null) break;
    await setImmediate();
  }
  return { items: grouped.rows(), nextCursor: cursor, isPartial: cursor !== null };
}
