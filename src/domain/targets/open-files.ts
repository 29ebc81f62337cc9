/**
 * How the files that a process may have open are shared. A connection is one, too. Calls come first, since they are what jobd is
 * for; clients of the API get what is left, so that no number of them can make a call fail.
 */

import { attemptsInFlight } from '../alerts/delivery.ts';

export interface OpenFiles {
  /** Calls in flight. */
  slots: number;
  /** Connections of clients of the API. */
  connections: number;
  /** Connections that are kept open between calls. */
  idle: number;
}

/** What jobd itself has open: 30 files, and 12 for each of the threads of calls with its DNS sockets. The rest is margin. */
const reserved = 96;
/** Of what is left, calls get this much at most, and of the rest clients. */
const largestShare = 2 / 3;
/** More are of no use. */
const mostConnections = 2_000;
const mostIdle = 8_192;
/** Without these nothing works: where not even they fit, things fail and are tried again. */
const fewestConnections = 8;

/** Shares the files that a process may open. `slots` is how many calls the operator wants in flight. */
export function shareOpenFiles(limit: number, slots: number): OpenFiles {
  const forCalls = Math.max(limit - reserved - attemptsInFlight, 0);
  const given = Math.max(Math.min(slots, Math.floor(forCalls * largestShare)), 1);
  const rest = Math.max(forCalls - given, 0);
  const forClients = Math.min(Math.floor(rest * largestShare), mostConnections);
  return {
    slots: given,
    connections: Math.max(forClients, fewestConnections),
    idle: Math.min(rest - forClients, mostIdle),
  };
}
