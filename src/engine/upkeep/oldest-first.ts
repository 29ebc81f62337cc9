/** The runs of many jobs, the oldest first. Each job's history is in order; here they are merged. */

import type { Db } from '../../store/database/store.ts';
import { listOldestRuns, type Beginning } from '../../store/runs/retention.ts';
import type { RunPosition } from '../../store/runs/runs.ts';

/** Runs of a job that are read at once. */
const readAhead = 64;

/** A job and the time of its oldest run that was not taken yet, in epoch milliseconds. */
export interface Head {
  jobId: string;
  oldestAt: number;
  /** Runs due from then on stay, in epoch milliseconds. */
  keptFrom?: number;
}

interface Line extends Head {
  /** Runs that were read and not taken, the oldest last. */
  waiting: RunPosition[];
  /** The last run that was read; null before the first. */
  last: RunPosition | null;
}

export interface OldestFirst {
  /** Takes up to `count` runs due before `before` (epoch milliseconds). Returns the beginnings they make up. */
  take(db: Db, count: number, before: number): Promise<Beginning[]>;
  /** When the oldest run that may go was due; Infinity if none may. */
  readonly oldestAt: number;
}

/** Merges the histories of these jobs. */
export function mergeOldestFirst(heads: readonly Head[]): OldestFirst {
  /** The line with the oldest run is the last. */
  const lines = heads
    .filter(mayGo)
    .map((head): Line => ({ ...head, waiting: [], last: null }))
    .toSorted((a, b) => b.oldestAt - a.oldestAt);

  return {
    get oldestAt() {
      return lines.at(-1)?.oldestAt ?? Infinity;
    },
    async take(db, count, before) {
      const taken = new Map<string, Beginning>();
      for (let left = count; left > 0;) {
        const line = lines.at(-1);
        if (line === undefined || line.oldestAt >= before) break;
        lines.pop();
        let run = await nextOf(db, line);
        // Not so if the run that was the oldest has been removed meanwhile.
        if (run?.scheduledFor === line.oldestAt) {
          taken.set(line.jobId, { ...run, jobId: line.jobId });
          left -= 1;
          line.waiting.pop();
          run = await nextOf(db, line);
        }
        if (run === undefined) continue;
        const rest = { ...line, oldestAt: run.scheduledFor };
        if (mayGo(rest)) insert(lines, rest);
      }
      return [...taken.values()];
    },
  };
}

function mayGo({ oldestAt, keptFrom = Infinity }: Head): boolean {
  return oldestAt < keptFrom;
}

/** The next run of a line, read if need be; undefined when there are no more. */
async function nextOf(db: Db, line: Line): Promise<RunPosition | undefined> {
  if (line.waiting.length === 0) {
    const read = await listOldestRuns(db, line.jobId, { after: line.last, limit: readAhead });
    line.last = read.at(-1) ?? line.last;
    line.waiting = read.toReversed();
  }
  return line.waiting.at(-1);
}

/** Inserts a line where its time belongs. */
function insert(lines: Line[], line: Line): void {
  let from = 0;
  let to = lines.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((lines[middle]?.oldestAt ?? 0) > line.oldestAt) from = middle + 1;
    else to = middle;
  }
  lines.splice(from, 0, line);
}
