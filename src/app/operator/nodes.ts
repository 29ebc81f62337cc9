/** The nodes that serve a database on a server, as operators see them. */

import { isoTime, isoTimeOrNull, msPerDay, wrongClockMs } from '../../domain/clock.ts';
import type { Clock } from '../../domain/clock.ts';
import {
  isLeaseValid,
  keeperOf,
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
  const keeper = keeperOf(states.filter(({ node }) => node.endedAt === null));
  return states.map((state) => {
    const { node } = state;
    const { endReason } = node;
    const role = endReason === null ? openRoleOf(state, keeper) : endedRoles[endReason];
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
  const wrong = live.filter(({ clockLeadMs }) => Math.abs(clockLeadMs) > wrongClockMs);
  const clocks = wrong.map(
    (node) => `the clock of ${nodeName(node)} is ${leadText(node.clockLeadMs)}: set it`,
  );
  return [...differing, baseUrlTroubleOf(live), ...clocks].filter((sentence) => sentence !== null);
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
