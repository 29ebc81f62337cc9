/** The nodes that serve a database on a server, as operators see them. */

import { isoTime, isoTimeOrNull, msPerDay, wrongClockMs, type Clock } from '../../domain/clock.ts';
import {
  isLeaseValid,
  leaderOf,
  leaseMs,
  longestLeaseMs,
  lossShownForMs,
  nodeName,
  openRoleOf,
} from '../../domain/nodes.ts';
import { found, type Finding } from '../../domain/findings.ts';
import type { NodeRole } from '../../domain/nodes.ts';
import type { Db, Store } from '../../store/database/store.ts';
import * as nodes from '../../store/nodes/nodes.ts';
import type { KnownNode } from '../../store/nodes/nodes.ts';

/** Nodes that ended are shown for this long. */
const shownForMs = msPerDay;

/** The value of an option that was not given. */
export const notGiven = 'not given';

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
export async function findLosses(db: Db, now: number): Promise<Finding[]> {
  const losses = await nodes.findLosses(db, now - lossShownForMs);
  return losses.map((loss) => {
    const { calls, outcomes } = loss;
    const facts = { at: isoTime(loss.at), calls, outcomes };
    return found('commits-lost', facts, [`${nodeName(loss)}; see docs/cluster.md#failover`]);
  });
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

/** What is wrong with nodes that have not ended. One that drains need not agree with the others any more. */
export function nodeFindings(open: readonly NodeInRole[], now: number): Finding[] {
  const live = open.filter(({ role }) => role === 'leader' || role === 'serving');
  const options = new Set(live.flatMap(({ settings }) => Object.keys(settings)));
  return [
    ...open.filter(({ expiresAt }) => expiresAt > now + longestLeaseMs).map(wrongLease),
    ...[...options].flatMap((option) => differenceIn(option, live)),
    ...missingBaseUrl(live),
    ...wrongClocks(live),
  ];

  function wrongLease(node: KnownNode): Finding {
    const seconds = Math.round((node.expiresAt - now) / 1_000);
    return found('lease-wrong', { seconds, longest: leaseMs / 1_000 }, [nodeName(node)]);
  }
}

function differenceIn(option: string, live: readonly KnownNode[]): Finding[] {
  const byValue = Map.groupBy(live, ({ settings }) => settings[option] ?? notGiven);
  if (byValue.size < 2) return [];
  const values = Array.from(
    byValue,
    ([value, its]) => `${value} (${its.map(nodeName).join(', ')})`,
  );
  return [found('nodes-differ', { option }, values)];
}

function missingBaseUrl(live: readonly KnownNode[]): Finding[] {
  const isMissing = live.every(({ settings }) => settings['--base-url'] === notGiven);
  return live.length > 1 && isMissing ? [found('base-url-missing', {})] : [];
}

/** Where several machines agree with each other, and not with the server of the database, its clock is wrong. */
function wrongClocks(live: readonly KnownNode[]): Finding[] {
  const leads = live.map(({ clockLeadMs }) => clockLeadMs);
  const hosts = new Set(live.map(({ host }) => host));
  const [least, most] = [Math.min(...leads), Math.max(...leads)];
  const isBeyond = least > wrongClockMs || most < -wrongClockMs;
  if (isBeyond && hosts.size > 1 && most - least <= wrongClockMs) {
    return [found('server-clock-wrong', { lead: leadText(-least), nodes: live.length })];
  }
  const wrong = live.filter(({ clockLeadMs }) => Math.abs(clockLeadMs) > wrongClockMs);
  const isEach = live.length === wrong.length;
  return wrong.map((node) =>
    found('node-clock-wrong', { lead: leadText(node.clockLeadMs), isEach }, [nodeName(node)]),
  );
}

/** How far a clock is from the database's, in words. */
export function leadText(leadMs: number): string {
  if (Math.abs(leadMs) <= wrongClockMs) return 'right';
  const seconds = Math.round(Math.abs(leadMs) / 1_000);
  return `${seconds} s ${leadMs > 0 ? 'ahead' : 'behind'}`;
}
