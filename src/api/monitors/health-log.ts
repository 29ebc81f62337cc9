/** Logs changes of monitors by pings, with a limit: anyone who knows a ping URL can change its monitor with each ping. */

import type { MonitorChange } from '../../domain/monitors/monitor.ts';

/** A monitor gets at most one line in this time. */
const quietMs = 30_000;
/** How many monitors are remembered. While all of them are within `quietMs`, other monitors get no line. */
const mostMonitors = 10_000;

/** Creates the logger; `now` returns monotonic milliseconds. `write` also gets how many changes a line stands for. */
export function createHealthLog(
  write: (change: MonitorChange, changed: number) => void,
  now: () => number,
) {
  /** By monitor id; the one logged longest ago is the first. */
  const known = new Map<string, { loggedAt: number; unlogged: number }>();

  function forgetQuiet(at: number): void {
    for (const [id, { loggedAt }] of known) {
      if (known.size < mostMonitors || at - loggedAt < quietMs) return;
      known.delete(id);
    }
  }

  return (change: MonitorChange): void => {
    const { monitor } = change;
    const at = now();
    const last = known.get(monitor.id);
    if (last !== undefined && at - last.loggedAt < quietMs) {
      last.unlogged += 1;
      return;
    }
    known.delete(monitor.id);
    forgetQuiet(at);
    if (known.size >= mostMonitors) return;
    known.set(monitor.id, { loggedAt: at, unlogged: 0 });
    write(change, 1 + (last?.unlogged ?? 0));
  };
}
