/** Whether this process may begin work now, alone or among others that serve the same database. */

import type { Clock } from '../../domain/clock.ts';
import type { NodeStatus } from '../../domain/nodes.ts';
import type { Hindrance } from '../../domain/runs/due.ts';
import type { Rest } from '../loop.ts';
import type { ConfirmedRuns } from './confirmed-runs.ts';

/** What a process knows of its right to serve. All of it is known at once, without asking the database. */
export interface Membership {
  /** The node that the runs claimed now belong to; null where a database has one process, which finds all runs its own. */
  readonly nodeId: string | null;
  /** Since when there always was a process that serves, in epoch milliseconds. */
  readonly servingSince: number;
  /** The time before that in which none did; null if that is not known. */
  readonly downtime: Hindrance | null;
  /** Since when this process could always reach the database, as far as it knows, or another one served. */
  readonly reachableSince: number;
  /** What the database confirmed of its runs; null where it cannot lose that: in a file. */
  readonly confirmed: ConfirmedRuns | null;
  /** Why this process may not serve any more, in a sentence; null if it may. */
  readonly trouble: string | null;
  /** Whether a claim or an attempt may begin now. */
  readonly mayBegin: () => boolean;
  /** For how long an attempt may begin from now on, in milliseconds; 0 if none may. */
  readonly mayBeginForMs: () => number;
  /** Whether this process does what is done once for all: it is the oldest that serves on. */
  readonly leads: () => boolean;
  /** Whether others served at the last renewal. */
  readonly hasOthers: () => boolean;
  /** What it knows of itself and the others. */
  readonly status: () => NodeStatus;
  /** Hands over what is done once for all, if others serve on: this process stops when its calls have ended. */
  readonly drain: () => void;
  /** Sets what is called when this process was declared gone: its runs are no longer its own. It continues under a new id. */
  onGone(listener: () => void): void;
}

/** From when (null if that is not known) until when no process served. */
export function downtimeOf(from: number | null, until: number): Hindrance | null {
  return from === null || from >= until ? null : { reason: 'not_running', from, until };
}

/** The membership of a process that has its database to itself. Another one served until `servedUntil`, in epoch milliseconds. */
export function alone(clock: Clock, servedUntil: number | null = null): Membership {
  const servingSince = clock.now();
  return {
    nodeId: null,
    servingSince,
    downtime: downtimeOf(servedUntil, servingSince),
    reachableSince: servingSince,
    confirmed: null,
    trouble: null,
    mayBegin: () => true,
    mayBeginForMs: () => Infinity,
    leads: () => true,
    hasOthers: () => false,
    status: () => ({ roles: ['leader'], leads: true, leaseLeftMs: Infinity, clockLeadMs: 0 }),
    drain: () => {},
    onGone: () => {},
  };
}

/** A step that only one of all processes takes. It is told whether another one may have taken it since this one last did. */
export function onDuty(
  membership: Membership,
  step: (begins: boolean) => Promise<Rest>,
): () => Promise<Rest> {
  let wasOnDuty = false;
  return async () => {
    const begins = !wasOnDuty;
    wasOnDuty = membership.leads();
    return wasOnDuty ? await step(begins) : Infinity;
  };
}
