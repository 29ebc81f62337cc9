/** The log of what pings make of monitors: anybody who knows a URL can change its monitor with each ping. */

import type { Flip } from '../../domain/monitors/monitor.ts';
import type { Log } from '../../log.ts';

/** A monitor has one line in this time at most. */
const quietMs = 30_000;
/** Monitors remembered at most; while all of them are quiet, others have no line. */
const mostMonitors = 10_000;

/** Makes what logs changes of monitors; `now` is monotonic, in milliseconds. What a monitor has no line for, its next one counts. */
export function createFlipLog(log: Pick<Log, 'info'>, now: () => number) {
  /** By monitor, those logged longest ago first. */
  const known = new Map<string, { loggedAt: number; unlogged: number }>();

  function forgetQuiet(at: number): void {
    for (const [id, { loggedAt }] of known) {
      if (known.size < mostMonitors || at - loggedAt < quietMs) return;
      known.delete(id);
    }
  }

  return ({ monitor, from, to }: Flip): void => {
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
    const changed = 1 + (last?.unlogged ?? 0);
    const about = { monitorId: monitor.id, from, to, ...(changed > 1 && { changed }) };
    log.info(about, 'monitor changed');
  };
}
