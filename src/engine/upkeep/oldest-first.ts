/** The runs of many jobs, the oldest first: each job's history is in order, and here they are merged. */

import type { Db } from '../../store/database/open.ts';
import { listOldestRuns } from '../../store/runs/retention.ts';
import type { Beginning } from '../../store/runs/retention.ts';
import type { RunPosition } from '../../store/runs/runs.ts';

/** Runs of a job read at once. */
const readAhead = 64;

/** A job and the time of its oldest run that was not taken yet. */
export interface Head {
  jobId: string;
  oldestAt: number;
}

interface Line extends Head {
  /** Read and not taken, the next one last. */
  read: RunPosition[];
  /** The last one read; null before the first. */
  last: RunPosition | null;
}

export interface OldestFirst {
  /** Takes up to `count` runs due before `before`, in epoch milliseconds. Returns the beginnings they make up. */
  take(db: Db, count: number, before: number): Promise<Beginning[]>;
}

/** Merges the histories of these jobs. */
export function mergeOldestFirst(heads: readonly Head[]): OldestFirst {
  /** In descending order, so that the next one is the last. */
  const lines = heads
    .map(({ jobId, oldestAt }): Line => ({ jobId, oldestAt, read: [], last: null }))
    .toSorted((a, b) => b.oldestAt - a.oldestAt);

  return {
    async take(db, count, before) {
      const taken = new Map<string, Beginning>();
      for (let left = count; left > 0;) {
        const line = lines.at(-1);
        if (line === undefined || line.oldestAt >= before) break;
        lines.pop();
        const run = await next(db, line);
        // It has none left; or, what was its oldest is gone meanwhile.
        if (run === undefined) continue;
        if (run.scheduledFor > line.oldestAt) {
          insert(lines, line, run.scheduledFor);
          continue;
        }
        line.read.pop();
        taken.set(line.jobId, { ...run, jobId: line.jobId });
        left -= 1;
        insert(lines, line, (await next(db, line))?.scheduledFor ?? Infinity);
      }
      return [...taken.values()];
    },
  };
}

/** The next run of a line, read if need be; undefined when there are no more. */
async function next(db: Db, line: Line): Promise<RunPosition | undefined> {
  if (line.read.length === 0) {
    const read = await listOldestRuns(db, line.jobId, { after: line.last, limit: readAhead });
    line.last = read.at(-1) ?? line.last;
    line.read = read.toReversed();
  }
  return line.read.at(-1);
}

/** Puts a line where its new time belongs; one without a time is over. */
function insert(lines: Line[], line: Line, oldestAt: number): void {
  line.oldestAt = oldestAt;
  if (oldestAt === Infinity) return;
  let from = 0;
  let to = lines.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((lines[middle]?.oldestAt ?? 0) > oldestAt) from = middle + 1;
    else to = middle;
  }
  lines.splice(from, 0, line);
}
