/**
 * Logs changes of monitors by pings, with a limit: anyone who knows a ping URL can change its monitor with each ping. The
 * first change is logged at once. Changes in the pause after a line wait for its end: then one line says how the monitor is,
 * since when, and how many changes it stands for. So the last line of a monitor is true.
 */

import type { Clock } from '../../domain/clock.ts';
import type { LoggedChange } from '../../domain/monitors/logged-change.ts';

/** A monitor gets at most one line in this time. */
const quietMs = 30_000;
/** How many monitors are remembered. While all of them are within `quietMs`, other monitors get no line. */
const mostMonitors = 10_000;

/** A change to log, with how many changes the line stands for, and whether they waited for it. */
export type WriteChange = (
  change: LoggedChange,
  line: { changed: number; isLate: boolean },
) => Promise<void>;

export interface HealthLog extends AsyncDisposable {
  add(change: LoggedChange): void;
}

interface Known {
  loggedAt: number;
  /** The newest change that has no line yet, and how many there are. */
  waiting: { change: LoggedChange; changed: number } | null;
}

/** Creates the log. Disposing of it writes what waits. */
export function createHealthLog(
  write: WriteChange,
  clock: Pick<Clock, 'monotonicMs' | 'after'>,
): HealthLog {
  /** By monitor id; the one logged longest ago is the first. */
  const known = new Map<string, Known>();
  let timer: Disposable | undefined;
  let timerAt = Infinity;

  function forgetQuiet(at: number): void {
    for (const [id, { loggedAt, waiting }] of known) {
      if (known.size < mostMonitors || at - loggedAt < quietMs) return;
      if (waiting === null) known.delete(id);
    }
  }

  /** Makes sure that what waits until `at` is written then. */
  function wakeAt(at: number): void {
    if (at >= timerAt) return;
    timer?.[Symbol.dispose]();
    timerAt = at;
    const waitMs = at - clock.monotonicMs();
    timer = clock.after(waitMs, () => void writeWaiting(clock.monotonicMs()));
  }

  /** Writes what waited until `at`. */
  async function writeWaiting(at: number): Promise<void> {
    timer?.[Symbol.dispose]();
    timerAt = Infinity;
    const lines = [...known].flatMap(([id, { loggedAt, waiting }]) => {
      if (waiting === null) return [];
      if (at - loggedAt < quietMs) {
        wakeAt(loggedAt + quietMs);
        return [];
      }
      known.delete(id);
      known.set(id, { loggedAt: at, waiting: null });
      return [waiting];
    });
    await Promise.all(
      lines.map(async ({ change, changed }) => await write(change, { changed, isLate: true })),
    );
  }

  return {
    add(given) {
      const { id, workspaceId, name, missedDueAt } = given.monitor;
      // Up to 10,000 of them wait: without their notes.
      const change = { ...given, monitor: { id, workspaceId, name, missedDueAt } };
      const at = clock.monotonicMs();
      const last = known.get(id);
      if (last !== undefined && (last.waiting !== null || at - last.loggedAt < quietMs)) {
        last.waiting = { change, changed: 1 + (last.waiting?.changed ?? 0) };
        wakeAt(last.loggedAt + quietMs);
        return;
      }
      known.delete(id);
      forgetQuiet(at);
      if (known.size >= mostMonitors) return;
      known.set(id, { loggedAt: at, waiting: null });
      void write(change, { changed: 1, isLate: false });
    },
    [Symbol.asyncDispose]: async () => await writeWaiting(Infinity),
  };
}
