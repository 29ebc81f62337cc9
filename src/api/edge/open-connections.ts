/**
 * Which connections stay open when there are too many. A new one is always admitted if any other is idle, so connections
 * that are only held keep nobody out. Strangers are closed first: connections that never showed a valid key and never pinged a
 * monitor. Among them it is the address with the most that loses the one whose last request is oldest; so whoever holds many
 * connections competes with itself.
 */

/** What is known of a connection here. */
export interface OpenConnection {
  /** Whom its address stands for. */
  readonly addressGroup: string;
  /** Whether it showed a valid key, or pinged a monitor. */
  isTrusted: boolean;
  /** Whether a request of it is being answered. */
  isBusy: boolean;
  /** When it was opened or sent its last request, monotonic milliseconds. */
  activeAt: number;
  close(): void;
}

export interface OpenConnections<C extends OpenConnection> {
  readonly all: ReadonlySet<C>;
  /** Connections that were closed for others so far, or not admitted. */
  readonly closed: number;
  /** Admits a new connection, closing others where there are too many; false if all are trusted and busy. */
  admit(connection: C): boolean;
  /** To be called after each change of a connection: a request came, was answered, showed a key. */
  update(connection: C): void;
  remove(connection: C): void;
}

export interface ConnectionBounds {
  /** Connections at most. */
  most: number;
  /** Strangers of one address at most; those with a request in the last `graceMs` may be more, as in a burst of pings. */
  mostStrangers: number;
  graceMs: number;
}

/** Makes the set of open connections, empty. */
export function createOpenConnections<C extends OpenConnection>(
  bounds: ConnectionBounds,
): OpenConnections<C> {
  const all = new Set<C>();
  /** By address; each set has the one that was active longest ago first. */
  const strangers = new Map<string, Set<C>>();
  const idleTrusted = new Set<C>();
  let closed = 0;

  function insert(connection: C): void {
    const { addressGroup, isTrusted, isBusy } = connection;
    if (isTrusted) {
      if (!isBusy) idleTrusted.add(connection);
      return;
    }
    const same = strangers.get(addressGroup);
    if (same === undefined) strangers.set(addressGroup, new Set([connection]));
    else same.add(connection);
  }

  function take(connection: C): void {
    if (idleTrusted.delete(connection)) return;
    const same = strangers.get(connection.addressGroup);
    if (same?.delete(connection) && same.size === 0) strangers.delete(connection.addressGroup);
  }

  function remove(connection: C): void {
    if (all.delete(connection)) take(connection);
  }

  function close(connection: C): void {
    remove(connection);
    closed += 1;
    connection.close();
  }

  function leastWorthy(): C | undefined {
    let most: Set<C> | undefined;
    for (const same of strangers.values()) {
      if (most === undefined || same.size > most.size) most = same;
    }
    return firstOf(most ?? idleTrusted);
  }

  /** Closes what one address holds without use. */
  function trim(addressGroup: string, now: number): void {
    for (const connection of strangers.get(addressGroup) ?? []) {
      const isOver = (strangers.get(addressGroup)?.size ?? 0) >= bounds.mostStrangers;
      if (!isOver || now - connection.activeAt < bounds.graceMs) return;
      close(connection);
    }
  }

  return {
    all,
    get closed() {
      return closed;
    },
    admit(connection) {
      trim(connection.addressGroup, connection.activeAt);
      if (all.size >= bounds.most) {
        const least = leastWorthy();
        if (least === undefined) {
          closed += 1;
          return false;
        }
        close(least);
      }
      all.add(connection);
      insert(connection);
      return true;
    },
    update(connection) {
      if (!all.has(connection)) return;
      take(connection);
      insert(connection);
    },
    remove,
  };
}

function firstOf<T>(set: ReadonlySet<T>): T | undefined {
  for (const first of set) return first;
  return undefined;
}
