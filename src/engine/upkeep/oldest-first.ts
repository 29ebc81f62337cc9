/** The runs of many jobs, the oldest first. Each job's history is in order; here they are merged. */

import type { Db } from '../../store/database/store.ts';
import { listOldestRuns, type OldRun } from '../../store/runs/retention.ts';
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
  waiting: OldRun[];
  /** The last run that was read; null before the first. */
  last: RunPosition | null;
}

export interface OldestFirst {
  /** Takes up to `count` runs due before `before` (epoch milliseconds). */
  take(db: Db, count: number, before: number): Promise<OldRun[]>;
  /** When the oldest run that may go was due; Infinity if none may. */
  readonly oldestAt: number;
}

/** Merges the histories of these jobs. */
export function mergeOldestFirst(heads: readonly Head[]): OldestFirst {
  /** A heap: each is no younger than the two that it leads to, at twice its place. */
  const lines = heads
    .filter(mayGo)
    .map((head): Line => ({ ...head, waiting: [], last: null }))
    .toSorted((a, b) => a.oldestAt - b.oldestAt);

  return {
    get oldestAt() {
      return lines[0]?.oldestAt ?? Infinity;
    },
    async take(db, count, before) {
      const taken: OldRun[] = [];
      while (taken.length < count) {
        const [line] = lines;
        if (line === undefined || line.oldestAt >= before) break;
        let run = await nextOf(db, line);
        // Not so if the run that was the oldest has been removed meanwhile, or is not over.
        if (run?.scheduledFor === line.oldestAt) {
          taken.push(run);
          line.waiting.pop();
          run = await nextOf(db, line);
        }
        line.oldestAt = run?.scheduledFor ?? Infinity;
        settle(lines, mayGo(line) ? line : lines.pop()!);
      }
      return taken;
    },
  };
}

function mayGo({ oldestAt, keptFrom = Infinity }: Head): boolean {
  return oldestAt < keptFrom;
}

/** The next run of a line, read if need be; undefined when there are no more. */
async function nextOf(db: Db, line: Line): Promise<OldRun | undefined> {
  if (line.waiting.length === 0) {
    const read = await listOldestRuns(db, line.jobId, { after: line.last, limit: readAhead });
    line.last = read.at(-1) ?? line.last;
    line.waiting = read.toReversed();
  }
  return line.waiting.at(-1);
}

/** Puts a line in place of the first of a heap. */
function settle(lines: Line[], line: Line): void {
  let at = 0;
  for (;;) {
    const [left, right] = [lines[2 * at + 1], lines[2 * at + 2]];
    if (left === undefined) break;
    const isRight = right !== undefined && right.oldestAt < left.oldestAt;
    const older = isRight ? right : left;
    if (older.oldestAt >= line.oldestAt) break;
    lines[at] = older;
    at = 2 * at + (isRight ? 2 : 1);
  }
  if (lines.length > 0) lines[at] = line;
}
