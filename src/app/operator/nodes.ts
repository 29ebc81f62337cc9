/** The nodes that serve a database on a server, as operators see them. */

import { isoTime, isoTimeOrNull, msPerDay, wrongClockMs } from '../../domain/clock.ts';
import type { Clock } from '../../domain/clock.ts';
import {
  isLeaseValid,
  leaderOf,
  leaseMs,
  longestLeaseMs,
  lossShownForMs,
  nodeName,
  openRoleOf,
} from '../../domain/nodes.ts';
import type { Loss, NodeRole } from '../../domain/nodes.ts';
import type { Db, Store } from '../../store/database/store.ts';
import * as nodes from '../../store/nodes/nodes.ts';
import type { KnownNode } from '../../store/nodes/nodes.ts';

/** Nodes that ended are shown for this long. */
const shownForMs = msPerDay;

/** The value of an option that was not given. */
export const notGiven = 'not given';

/** A node, with its role. */
export interface NodeInRole extends KnownNode {
  role: NodeRole;
}

/** The nodes that have not ended, and those that ended within a day, the oldest first. */
export async function listNodes({
  store,
  clock,
}: {
  store: Store;
  clock: Clock;
}): Promise<NodeInRole[]> {
  const now = clock.now();
  return inRoles(await nodes.listNodes(store.db, now - shownForMs), now);
}

/** The nodes that have not ended by `now`, the oldest first. */
export async function listOpenNodes(db: Db, now: number): Promise<NodeInRole[]> {
  const known = await nodes.listNodes(db, now);
  return inRoles(
    known.filter(({ endedAt }) => endedAt === null),
    now,
  );
}

/** What nodes found within a week before `now` that the database had lost, the newest first. */
export async function listLosses(db: Db, now: number): Promise<Loss[]> {
  return await nodes.findLosses(db, now - lossShownForMs);
}

/** Gives nodes, the oldest first, their roles at a time. */
function inRoles(known: readonly KnownNode[], now: number): NodeInRole[] {
  const states = known.map((node) => ({
    node,
    isLive: isLeaseValid(node.expiresAt, now),
    isDraining: node.isDraining,
  }));
  const leader = leaderOf(states.filter(({ node }) => node.endedAt === null));
  return states.map((state) => {
    const { node } = state;
    const { endReason } = node;
    const role = endReason === null ? openRoleOf(state, leader) : endedRoles[endReason];
    return { ...node, role };
  });
}

const endedRoles = { stopped: 'stopped', silent: 'gone' } as const;

/** The times of a node, as they are shown. */
export function nodeTimes({ startedAt, expiresAt, endedAt }: KnownNode) {
  return {
    startedAt: isoTime(startedAt),
    leaseUntil: endedAt === null ? isoTime(expiresAt) : null,
    endedAt: isoTimeOrNull(endedAt),
  };
}

/** What is wrong with nodes that serve together, in sentences. One that drains need not agree any more. */
export function troublesOf(serving: readonly KnownNode[]): string[] {
  const live = serving.filter(({ isDraining }) => !isDraining);
  const options = new Set(live.flatMap(({ settings }) => Object.keys(settings)));
  const differing = [...options].map((option) => differenceIn(option, live));
  return [...differing, baseUrlTroubleOf(live), ...clockTroublesOf(live)].filter(
    (sentence) => sentence !== null,
  );
}

/** Where several machines agree with each other, and not with the server of the database, its clock is wrong. */
function clockTroublesOf(live: readonly KnownNode[]): string[] {
  const leads = live.map(({ clockLeadMs }) => clockLeadMs);
  const hosts = new Set(live.map(({ host }) => host));
  const [least, most] = [Math.min(...leads), Math.max(...leads)];
  const isBeyond = least > wrongClockMs || most < -wrongClockMs;
  if (isBeyond && hosts.size > 1 && most - least <= wrongClockMs) {
    return [
      `the clock of the server of the database is ${leadText(-least)}, compared with all ${live.length} nodes, and due times go by it: set it`,
    ];
  }
  const wrong = live.filter(({ clockLeadMs }) => Math.abs(clockLeadMs) > wrongClockMs);
  return wrong.map((node) => {
    const lead = `the clock of ${nodeName(node)} is ${leadText(node.clockLeadMs)}`;
    return live.length === wrong.length
      ? `${lead}, compared with that of the database, which due times go by: set one of them`
      : `${lead}: set it`;
  });
}

/** Leases that would last longer than any, in sentences. */
export function wrongLeasesOf(open: readonly KnownNode[], now: number): string[] {
  const wrong = open.filter(({ expiresAt }) => expiresAt > now + longestLeaseMs);
  return wrong.map((node) => {
    const seconds = Math.round((node.expiresAt - now) / 1_000);
    return `the lease of ${nodeName(node)} would end in ${seconds} s, and none lasts longer than ${leaseMs / 1_000} s: the clock of the server of the database was set back, and this process has not renewed its lease since`;
  });
}

function baseUrlTroubleOf(live: readonly KnownNode[]): string | null {
  const isMissing = live.every(({ settings }) => settings['--base-url'] === notGiven);
  if (live.length < 2 || !isMissing) return null;
  return 'no node has a base URL, so links in alerts and receipts name the address of one node: give all of them the same --base-url (JOBD_BASE_URL)';
}

/** How far a clock is from the database's, in words. */
export function leadText(leadMs: number): string {
  if (Math.abs(leadMs) <= wrongClockMs) return 'right';
  const seconds = Math.round(Math.abs(leadMs) / 1_000);
  return `${seconds} s ${leadMs > 0 ? 'ahead' : 'behind'}`;
}

function differenceIn(option: string, live: readonly KnownNode[]): string | null {
  const byValue = Map.groupBy(live, ({ settings }) => settings[option] ?? notGiven);
  if (byValue.size < 2) return null;
  const groups = Array.from(
    byValue,
    ([value, those]) => `${value} (${those.map(nodeName).join(', ')})`,
  );
  return `nodes differ in ${option}: ${groups.join('; ')}`;
}
