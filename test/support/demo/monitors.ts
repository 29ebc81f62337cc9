/** The monitors of a demo, and the pings that its tasks sent. */

import { createMonitor, updateMonitor } from '../../../src/app/monitors/monitors.ts';
import { createPingKeeper } from '../../../src/app/monitors/pings.ts';
import { monitorHealthChanges } from '../../../src/domain/alerts/monitor-changes.ts';
import { unheard } from '../../../src/domain/changes.ts';
import { monitorAfter, monitorChange } from '../../../src/domain/monitors/monitor.ts';
import type { MonitorInput } from '../../../src/domain/monitors/monitor-input.ts';
import type { PingKind, PingMethod } from '../../../src/domain/monitors/ping.ts';
import { insertHealthChanges } from '../../../src/store/alerts/outbox.ts';
import { findMonitorsToCheck, keepMonitorStates } from '../../../src/store/monitors/monitors.ts';
import { steadyClock } from '../fakes/clock.ts';
import { around } from './calls.ts';
import { dayMs, hourMs, minuteMs } from './world.ts';
import type { Moment, World } from './world.ts';

/** A ping of a task, and how long before it the task said that it starts. */
interface DemoPing {
  at: number;
  kind: PingKind;
  ranMs?: number;
  exitCode?: number;
  body?: string;
}

interface DemoMonitor {
  input: MonitorInput;
  createdAt: number;
  pings: DemoPing[];
  pausedAt?: number;
}

function every(hours: number) {
  return { scheduleType: 'period', periodSeconds: hours * 3_600 } as const;
}

/** All monitors by a short name. */
function demoMonitors({ nowMs: now, random }: World) {
  /** Pings at a distance, the oldest first, the last one some time ago. */
  const pings = (
    count: number,
    everyMs: number,
    lastAgoMs: number,
    of: (left: number) => Partial<DemoPing> = () => ({}),
  ): DemoPing[] =>
    Array.from({ length: count }, (_, index) => {
      const left = count - 1 - index;
      const at = Math.round(now - lastAgoMs - left * everyMs + random() * 9_000);
      return { at, kind: 'success', ...of(left) };
    });
  return {
    dump: {
      createdAt: now - 31 * dayMs,
      input: {
        name: 'Database dump on db-1',
        ...every(24),
        graceSeconds: 3_600,
        notes: 'crontab of root on db-1',
      },
      pings: pings(30, dayMs, 7 * hourMs, (left) => {
        const ranMs = Math.round(around(214_000, random));
        return left === 11
          ? { kind: 'fail', exitCode: 1, ranMs: 4_100, body: 'pg_dump: error: disk is full\n' }
          : { ranMs, exitCode: 0, body: `dumped 14 tables, 412 MB\nrotated ${left % 4} files\n` };
      }),
    },
    mailQueue: {
      createdAt: now - 9 * dayMs,
      input: { name: 'Mail queue', ...every(1), graceSeconds: 600 },
      pings: pings(200, hourMs, 12 * minuteMs, (left) => ({ body: `queue: ${(left * 7) % 5}` })),
    },
    tapes: {
      createdAt: now - 10 * dayMs,
      input: { name: 'Tape library', ...every(6), graceSeconds: 12 * 3_600 },
      pings: pings(36, 6 * hourMs, 6 * hourMs + 23 * minuteMs),
    },
    router: {
      createdAt: now - 14 * dayMs,
      input: { name: 'Edge router, København', ...every(2), graceSeconds: 900 },
      pings: pings(120, 2 * hourMs, 7 * hourMs, () => ({ body: 'wan: up, 18 ms' })),
    },
    oldCron: {
      createdAt: now - 60 * dayMs,
      input: { name: 'cron-old (to be retired)', ...every(24), graceSeconds: 3_600 },
      pings: pings(20, dayMs, 22 * dayMs),
      pausedAt: now - 21.9 * dayMs,
    },
    deploy: {
      createdAt: now - 3 * hourMs,
      input: { name: 'Deploy of staging', ...every(24), notes: 'New: waits for its first ping.' },
      pings: [],
    },
  } satisfies Record<string, DemoMonitor>;
}

export type DemoMonitorName = keyof ReturnType<typeof demoMonitors>;

export interface DemoMonitors {
  moments: Moment[];
  /** Ids by short names, once they exist. */
  ids: Record<DemoMonitorName, string>;
  /** Takes down whatever is overdue at a time, in epoch milliseconds. */
  readonly checkAt: (at: number) => Promise<void>;
}

/** The monitors of a demo as moments. */
export function monitorsOf(world: World): DemoMonitors {
  const { app, local, clock, owner } = world;
  const ids = {} as Record<DemoMonitorName, string>;
  const moments: Moment[] = [];
  const parts = { store: local.store, clock: steadyClock(clock), events: unheard };
  const keep = createPingKeeper(parts, () => {});
  const all: Record<DemoMonitorName, DemoMonitor> = demoMonitors(world);
  for (const [name, monitor] of Object.entries(all) as [DemoMonitorName, DemoMonitor][]) {
    const { input, createdAt, pings, pausedAt } = monitor;
    const create = async (): Promise<void> => {
      ids[name] = (await createMonitor(app, owner, input)).id;
    };
    const say =
      (kind: PingKind, { exitCode = null, body = null }: Partial<Said>) =>
      () => {
        const method: PingMethod = body === null ? 'GET' : 'POST';
        const ping = { monitorId: ids[name], kind, exitCode, body, method, truncated: false };
        return keep(ping);
      };
    moments.push({ at: createdAt, happen: create });
    for (const { at, kind, ranMs, ...said } of pings) {
      if (ranMs !== undefined) moments.push({ at: at - ranMs, happen: say('start', {}) });
      moments.push({ at, happen: say(kind, said) });
    }
    if (pausedAt === undefined) continue;
    const pause = () => updateMonitor(app, owner, ids[name], { action: 'pause' });
    moments.push({ at: pausedAt, happen: pause });
  }
  return {
    moments,
    ids,
    async checkAt(at) {
      const { store } = local;
      const overdue = await findMonitorsToCheck(store.db, at, 100);
      if (overdue.length === 0) return;
      const event = { type: 'time', at, reachableSince: 0 } as const;
      const after = overdue.map((monitor) => monitorAfter(monitor, event));
      const changes = overdue
        .map((before, index) => monitorChange(before, after[index] ?? before, at))
        .filter((change) => change !== null);
      await store.write(async (tx) => {
        await keepMonitorStates(tx, after);
        await insertHealthChanges(tx, monitorHealthChanges(changes));
      });
    },
  };
}

interface Said {
  exitCode: number | null;
  body: string | null;
}
