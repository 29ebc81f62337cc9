/** Monitors of a running daemon or of a store, and pings as a task sends them. */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { unheard } from '../fakes/changes.ts';
import type { Monitor, Ping } from '../../../src/api/monitors/contract.ts';
import { createPingKeeper } from '../../../src/app/monitors/pings.ts';
import type { Clock } from '../../../src/domain/clock.ts';
import { newId } from '../../../src/domain/id.ts';
import { defineMonitor, type MonitorInput } from '../../../src/domain/monitors/monitor-input.ts';
import type { Monitor as Stored } from '../../../src/domain/monitors/monitor.ts';
import type { PingKind } from '../../../src/domain/monitors/ping.ts';
import { findMonitor, insertMonitor } from '../../../src/store/monitors/monitors.ts';
import type { TestDaemon } from '../running/daemon.ts';
import type { TestStore } from '../running/store.ts';

/** A monitor as keys with write permission see it. */
export type PingedMonitor = Monitor & { pingUrl: string };

export interface MonitorTest {
  /** Creates a monitor; omitted fields have defaults. */
  createMonitor: (input?: object) => Promise<PingedMonitor>;
  readMonitor: (id: string) => Promise<PingedMonitor>;
  readPings: (id: string, query?: string) => Promise<Ping[]>;
}

/** The functions that tests of monitors use most. */
export function monitorsOf({ ask }: Pick<TestDaemon, 'ask'>): MonitorTest {
  const good = async (status: number, method: string, path: string, body?: object) => {
    const answer = await ask(method, path, body);
    assert.equal(answer.status, status, `${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  return {
    createMonitor: async (input) =>
      (await good(201, 'POST', '/monitors', { name: 'a monitor', ...input })).monitor,
    readMonitor: async (id) => (await good(200, 'GET', `/monitors/${id}`)).monitor,
    readPings: async (id, query = '') =>
      (await good(200, 'GET', `/monitors/${id}/pings${query}`)).pings,
  };
}

/** Pings a URL. Returns the status and the response. */
export async function ping(
  url: string,
  init: RequestInit = {},
): Promise<{ status: number; body: unknown; headers: Headers }> {
  const { status, headers, ...response } = await fetchText(url, init);
  return { status, headers, body: response.text === '' ? null : JSON.parse(response.text) };
}

async function fetchText(url: string, init: RequestInit) {
  const response = await fetch(url, init);
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** Monitors of a store, and pings to them without a server. */
export interface StoredMonitors {
  /** Stores a monitor; by default each full hour in UTC, grace 5 minutes. */
  add: (input?: Partial<MonitorInput>) => Promise<Stored>;
  ping: (monitor: Stored, kind?: PingKind) => Promise<void>;
  read: (monitor: Stored) => Promise<Stored>;
}

/** The functions that tests of store and engine use most, at the time of the clock. */
export function storedMonitors(
  { store, workspaceId }: Pick<TestStore, 'store' | 'workspaceId'>,
  clock: Clock,
): StoredMonitors {
  const keep = createPingKeeper({ store, clock, events: unheard }, () => {});
  return {
    async add(input = {}) {
      const now = clock.now();
      const given = { id: newId(now), workspaceId, pingId: randomUUID(), now };
      const monitor = defineMonitor({ name: 'a monitor', timezone: 'UTC', ...input }, given);
      await insertMonitor(store.db, monitor);
      return monitor;
    },
    async ping({ id }, kind = 'success') {
      const said = { kind, exitCode: null, method: 'GET', body: null, truncated: false } as const;
      assert.equal(await keep({ monitorId: id, ...said }), true, 'it is kept');
    },
    async read({ id }) {
      const found = await findMonitor(store.db, workspaceId, id);
      assert.ok(found, 'the monitor is there');
      return found;
    },
  };
}
