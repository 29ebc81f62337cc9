/** Monitors of a running daemon, and pings as a task sends them. */

import assert from 'node:assert/strict';
import type { Monitor, Ping } from '../../src/api/monitor-contract.ts';
import type { TestDaemon } from './daemon.ts';

export interface MonitorTest {
  /** Makes a monitor; what is not said is the least there must be. */
  createMonitor: (input?: object) => Promise<Monitor>;
  readMonitor: (id: string) => Promise<Monitor>;
  readPings: (id: string, query?: string) => Promise<Ping[]>;
}

/** What a test of monitors asks most. */
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

/** Pings a URL. Returns the status and what was answered. */
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
