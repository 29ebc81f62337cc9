/** The nodes that serve a database on a server, as operators see them. */

import { isoTime, isoTimeOrNull, msPerDay, wrongClockMs } from '../../domain/clock.ts';
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
import type { Db } from '../../store/database/store.ts';
import * as nodes from '../../store/nodes/nodes.ts';
import type { KnownNode } from '../../store/nodes/nodes.ts';

/** Nodes that ended are shown for this long. */
const shownForMs = msPerDay;

/** The value of an option that was not given. */
export const notGiven = 'not given';

export interface NodeInRole extends KnownNode {
  role: NodeRole;
}

/** The nodes that have not ended, and those that ended within a day before `now`, the oldest first. */
export async function listNodes(db: Db, now: number): Promise<NodeInRole[]> {
  return inRoles(await nodes.listNodes(db, now - shownForMs), now);
}

/** The same nodes, what is wrong with them, and what nodes found lost within a week before `now`. */
export async function examineNodes(
  db: Db,
  now: number,
): Promise<{ nodes: NodeInRole[]; findings: Finding[] }> {
  const listed = await listNodes(db, now);
  const findings = [...(await findLosses(db, now)), ...nodeFindings(listed, now)];
  return { nodes: listed, findings };
}

async function findLosses(db: Db, now: number): Promise<Finding[]> {
  const losses = await nodes.findLosses(db, now - lossShownForMs);
  return losses.map(({ at, calls, outcomes, ...place }) => {
    const facts = { at: isoTime(at), calls, outcomes };
    return found('commits-lost', facts, [`${nodeName(place)}; see docs/cluster.md#failover`]);
  });
}

/** Gives nodes, the oldest first, their roles at a time. */
function inRoles(known: readonly KnownNode[], now: number): NodeInRole[] {
  const leader = leaderOf(known.filter(({ endedAt }) => endedAt === null));
  return known.map((node) => {
    const { endReason, expiresAt, isDraining } = node;
    const state = { isLive: isLeaseValid(expiresAt, now), isDraining };
    const role = endReason === null ? openRoleOf(state, node === leader) : endedRoles[endReason];
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

/** What is wrong with nodes, the oldest first. One that drains need not agree with the others any more. */
export function nodeFindings(known: readonly NodeInRole[], now: number): Finding[] {
  const open = known.filter(({ endedAt }) => endedAt === null);
  const live = open.filter(({ role }) => role === 'leader' || role === 'serving');
  const options = new Set(live.flatMap(({ settings }) => Object.keys(settings)));
  return [
    ...goneNodes(known),
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

/** Those that were declared gone, but for one for each later start on the same host: several may run there. */
function goneNodes(known: readonly NodeInRole[]): Finding[] {
  const gone: KnownNode[] = [];
  for (const node of known) {
    const isReplaced = (one: KnownNode) =>
      one.host === node.host && lastRenewal(one) < node.startedAt;
    const index = gone.findIndex(isReplaced);
    if (index >= 0) gone.splice(index, 1);
    if (node.role === 'gone') gone.push(node);
  }
  return gone.map((node) =>
    found('node-gone', { since: isoTime(lastRenewal(node)) }, [nodeName(node)]),
  );
}

function lastRenewal({ expiresAt }: KnownNode): number {
  return expiresAt - leaseMs;
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
