/** What may happen to a node, and to the server of its database. */

import { existsSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import type { Proxy } from '../../support/postgres/proxy.ts';
import type { PostgresServer } from '../../support/postgres/server.ts';
import type { Process } from '../../support/running/executable.ts';

/** Where a node is, one after the other, and how it reaches its database. */
export interface Place {
  proxy: Proxy;
  node: Process;
  url: string;
  /** Since when nothing happened to its node, in epoch milliseconds. */
  inPeaceSince: number;
  /** Logs of the nodes that were here. */
  logs: string[];
}

/** Starts the next node of a place. */
export type Replace = (place: Place, env?: Record<string, string>) => Promise<void>;

/** Lets something happen, and resolves with what it was once it is over. */
type Disturbance = (place: Place) => Promise<string>;

/** A library that shows a process another time; undefined where there is none. */
const fakeTime = [
  '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1',
  '/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1',
].find((path) => existsSync(path));

export function between(random: () => number, least: number, most: number): number {
  return least + random() * (most - least);
}

/** All that may happen to one node. */
export function disturbancesBy(random: () => number, replace: Replace): readonly Disturbance[] {
  /** Mostly short, and sometimes longer than a lease. */
  const aWhile = (): number =>
    random() < 0.3 ? between(random, 16_000, 20_000) : between(random, 200, 5_000);

  return [
    async (place) => {
      await place.node.stop('SIGKILL');
      await replace(place);
      return 'killed';
    },
    async ({ node }) => {
      const ms = aWhile();
      process.kill(node.pid, 'SIGSTOP');
      await setTimeout(ms);
      process.kill(node.pid, 'SIGCONT');
      return `frozen for ${Math.round(ms)} ms`;
    },
    async ({ proxy }) => {
      proxy.cut();
      return 'connections cut';
    },
    async ({ proxy }) => {
      const ms = aWhile();
      proxy.isFrozen = true;
      await setTimeout(ms);
      proxy.isFrozen = false;
      proxy.cut();
      return `cut off for ${Math.round(ms)} ms`;
    },
    async (place) => {
      const ended = await place.node.stop('SIGTERM');
      await replace(place);
      return `replaced (${ended})`;
    },
    async (place) => {
      const seconds = [-3_600, -30, 30, 3_600][Math.floor(random() * 4)] ?? 30;
      await place.node.stop('SIGKILL');
      await replace(place, withClock(seconds));
      return `clock ${seconds} s ahead`;
    },
  ];
}

/** Restarts the server, which happens to all nodes. */
export async function restart(server: PostgresServer, random: () => number): Promise<string> {
  const how = random() < 0.5 ? 'fast' : 'immediate';
  await server.stop(how);
  await setTimeout(between(random, 100, 3_000));
  await server.start();
  return `server restarted (${how})`;
}

function withClock(aheadSeconds: number): Record<string, string> {
  if (fakeTime === undefined) return {};
  return {
    LD_PRELOAD: fakeTime,
    FAKETIME: `${aheadSeconds > 0 ? '+' : ''}${aheadSeconds}s`,
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  };
}
