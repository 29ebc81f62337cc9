/** What the processes are that serve one database together. */

import { msPerDay, wrongClockMs } from './clock.ts';

/** How long a lease lasts, how often it is renewed, and how much earlier its node trusts it no longer, in milliseconds. */
export const leaseMs = 15_000;
export const renewEveryMs = 3_000;
export const leaseMarginMs = 2_000;

/** Nodes that ended are shown for a day, and what they did may be asked for a while longer. */
export const nodesKeptMs = 30 * msPerDay;

/**
 * What a node is that has not ended: the `leader` also does what is done once for all; a `draining` one waits for its last calls
 * and stops; a `silent` one did not renew its lease and is about to be declared `gone`.
 */
export const openRoles = ['leader', 'serving', 'draining', 'silent'] as const;

/** What a node is or was. */
export const nodeRoles = [...openRoles, 'stopped', 'gone'] as const;

export type OpenRole = (typeof openRoles)[number];

export type NodeRole = (typeof nodeRoles)[number];

/** Whether a node renews its lease, and whether it is about to stop. */
export interface NodeState {
  isLive: boolean;
  isDraining: boolean;
}

/**
 * The leader of nodes that have not ended, the oldest first: the oldest that stays, else the oldest. It is nobody else while it
 * is silent: it may come back, until it is declared gone.
 */
export function leaderOf<Node extends Pick<NodeState, 'isDraining'>>(
  nodes: readonly Node[],
): Node | undefined {
  return nodes.find(({ isDraining }) => !isDraining) ?? nodes[0];
}

/** The role of a node that has not ended. */
export function openRoleOf({ isLive, isDraining }: NodeState, isLeader: boolean): OpenRole {
  if (!isLive) return 'silent';
  if (isDraining) return 'draining';
  return isLeader ? 'leader' : 'serving';
}

/**
 * The longest that is left of a lease that is renewed, in milliseconds: one that is said to last longer was renewed before the
 * clock of the database was set back.
 */
export const longestLeaseMs = leaseMs + wrongClockMs;

/** Whether a lease that ends at `expiresAt` holds at `now`, in epoch milliseconds by the clock of the database. */
export function isLeaseValid(expiresAt: number, now: number): boolean {
  return expiresAt > now && expiresAt <= now + longestLeaseMs;
}

/** What a process knows of itself and of all that serve its database. */
export interface NodeStatus {
  /** Of all nodes that have not ended. */
  roles: OpenRole[];
  /** Whether this one does what is done once for all. */
  leads: boolean;
  /** How long it may still begin something without another renewal, in milliseconds; 0 if it may not. */
  leaseLeftMs: number;
  /** How far the clock of its machine is ahead of the database's, in milliseconds. */
  clockLeadMs: number;
}

export interface NodePlace {
  host: string;
  pid: number;
}

/** That a database lost what it had confirmed to a node. */
export interface Loss extends NodePlace {
  /** When the node found it, in epoch milliseconds. */
  at: number;
  /** Calls that are not on record. */
  calls: number;
  /** Calls that are on record as interrupted, although their outcomes were known. */
  outcomes: number;
}

/** A loss stays on screens for a week. */
export const lossShownForMs = 7 * msPerDay;

/** The name of a node, for messages. */
export function nodeName({ host, pid }: NodePlace): string {
  return `process ${pid} on ${host}`;
}
