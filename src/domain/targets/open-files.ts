/**
 * How the open files of a process are shared (docs/decisions/0014-threads-of-calls.md#open-files-are-shared-out-before-anything-is-opened). A connection is an open file, too. Calls
 * come first, and clients of the API get a part of the rest, so that no number of clients can make a call fail.
 */

/** Most open files for each use. */
export interface OpenFiles {
  /** Calls in flight. */
  slots: number;
  /** Connections of API clients. */
  connections: number;
  /** Connections kept open between calls. */
  idle: number;
}

/** jobd itself has 30 files open, and 12 for each thread of calls with its DNS sockets. The rest is margin. */
const reserved = 96;
/** Largest share of the remaining files for calls, and of what is then left for clients. */
const largestShare = 2 / 3;
const mostConnections = 2_000;
const mostIdle = 8_192;
/** The API needs at least these. If not even they fit, accepting fails and is retried. */
const fewestConnections = 8;

/** Shares the open files of a process. `slots` is the wanted number of calls, `alerts` that of deliveries at a time. */
export function shareOpenFiles(limit: number, slots: number, alerts: number): OpenFiles {
  const forCalls = Math.max(limit - reserved - alerts, 0);
  const given = Math.max(Math.min(slots, Math.floor(forCalls * largestShare)), 1);
  const rest = Math.max(forCalls - given, 0);
  const forClients = Math.min(Math.floor(rest * largestShare), mostConnections);
  return {
    slots: given,
    connections: Math.max(forClients, fewestConnections),
    idle: Math.min(rest - forClients, mostIdle),
  };
}
