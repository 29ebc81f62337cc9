/** Monitors in lists by status, text and labels, each with its last results. */

import type { Monitor } from '../../domain/monitors/monitor.ts';
import type { MonitorStatus } from '../../domain/monitors/status.ts';
import type { PingKind } from '../../domain/monitors/ping.ts';
import type { Search } from '../../domain/search.ts';
import { findMonitorStop, listMonitorsBy } from '../../store/overview/monitors.ts';
import type { PingedMonitor } from '../../store/monitors/monitors.ts';
import { findRecentPings } from '../../store/overview/recent.ts';
import type { Ground, Principal } from '../app.ts';
import { idCursor, parseIdCursor, partialPageOf } from '../page.ts';
import type { PageRequest, PartialPage } from '../page.ts';
import { recentCount } from './jobs.ts';
import { inSteps, labelledPerStep } from '../steps.ts';

/** The most monitors that one request reads. */
const mostRows = 5_000;

export interface MonitorListRequest extends PageRequest {
  status: MonitorStatus | null;
  /** What each must have; null for nothing. */
  search: Search | null;
}

/** A monitor with the kinds of its newest pings that ended a run, oldest first. */
export interface MonitorWithRecent {
  id: string;
  monitor: Monitor;
  recent: Exclude<PingKind, 'start'>[];
}

/** A page of the workspace's monitors, newest first, as they are at `now` in epoch milliseconds. Throws `invalid_input`. */
export async function listMonitors(
  { store }: Pick<Ground, 'store'>,
  { workspaceId }: Principal,
  { status, search, limit, cursor, now }: MonitorListRequest & { now: number },
): Promise<PartialPage<MonitorWithRecent>> {
  const { db } = store;
  const list = 'overview-monitors';
  const before = cursor === null ? null : parseIdCursor(list, cursor);
  const isBounded = status !== null || search !== null;
  const rows = search === null ? mostRows : labelledPerStep;
  const { found, stop } = await inSteps<PingedMonitor, string>(
    { steps: mostRows / rows, after: before, count: limit + 1 },
    async (from, count) => {
      const downTo = isBounded
        ? await findMonitorStop(db, workspaceId, { before: from, rows })
        : undefined;
      const page = { status, search, now, before: from, downTo, limit: count };
      return { found: await listMonitorsBy(db, workspaceId, page), stop: downTo };
    },
  );
  const { items, ...rest } = partialPageOf(
    found.map(({ monitor, pingCount }) => ({ id: monitor.id, monitor, pingCount })),
    limit,
    stop === undefined ? undefined : { id: stop },
    ({ id }: { id: string }) => idCursor(list, id),
  );
  const recent = await findRecentPings(db, items, recentCount);
  return {
    ...rest,
    items: items.map(({ id, monitor }) => ({ id, monitor, recent: recent.get(id) ?? [] })),
  };
}
