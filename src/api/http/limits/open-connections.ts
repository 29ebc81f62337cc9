/**
 * Decides which connection is closed when there are too many. Each new connection closes another, so idle ones cannot keep
 * others out. Connections are grouped by address and rank: strangers, trusted, busy. The heaviest group loses its member
 * that was active longest ago, so a client with many connections competes with itself.
 */

/** What the decision needs to know about a connection. */
export interface OpenConnection {
  addressGroup: string;
  /** Whether it showed a valid key, or pinged a monitor, in a request that arrived completely. */
  readonly isTrusted: boolean;
  /** Whether a complete request is being answered, and the client reads the answer. */
  readonly isBusy: boolean;
  /** When it was opened or sent its last request, in monotonic milliseconds. */
  readonly activeAt: number;
  close(): void;
}

export interface OpenConnections<C extends OpenConnection> {
  readonly all: ReadonlySet<C>;
  /** How many connections were closed for others, or not admitted. */
  readonly closed: number;
  /** Admits a connection and closes another if there are too many. False if it could replace only busy ones of its own address. */
  admit(connection: C): boolean;
  /** Moves a connection to the end of its group, or of another one. Must be called when it sends a request or becomes trusted. */
  update(connection: C, addressGroup?: string): void;
  remove(connection: C): void;
}

/** How long a stranger has to show a valid key. After that its group weighs several times its size. */
const graceMs = 2_000;
const strangerWeight = 4;
/** Answers to pings can be delayed: many busy connections of one address are no reason to close those of others. */
const busyWeight = 1 / 8;

/** By address group; in each set, the connection that was active longest ago is the first. */
type ByAddress<C> = Map<string, Set<C>>;

/** Creates the set of open connections; `most` is the limit. */
export function createOpenConnections<C extends OpenConnection>(most: number): OpenConnections<C> {
  const all = new Set<C>();
  const strangers: ByAddress<C> = new Map();
  const trusted: ByAddress<C> = new Map();
  let closed = 0;

  function insert(connection: C): void {
    const byAddress = connection.isTrusted ? trusted : strangers;
    const same = byAddress.get(connection.addressGroup) ?? new Set<C>();
    byAddress.set(connection.addressGroup, same.add(connection));
  }

  function take(connection: C, byAddress: ByAddress<C>): void {
    const same = byAddress.get(connection.addressGroup);
    if (same?.delete(connection) && same.size === 0) byAddress.delete(connection.addressGroup);
  }

  function remove(connection: C): void {
    if (!all.delete(connection)) return;
    take(connection, strangers);
    take(connection, trusted);
  }

  /** The connection that a new one replaces. */
  function leastWorthy({ addressGroup, activeAt: now }: C): C | undefined {
    const found = heaviest(strangers.values(), trusted.values(), now);
    const isOwnBusy = found?.addressGroup === addressGroup && found.isTrusted && found.isBusy;
    if (!isOwnBusy) return found;
    const [stranger] = strangers.get(addressGroup) ?? [];
    return (
      stranger ??
      trusted
        .get(addressGroup)
        ?.values()
        .find(({ isBusy }) => !isBusy)
    );
  }

  return {
    all,
    get closed() {
      return closed;
    },
    admit(connection) {
      if (all.size >= most) {
        closed += 1;
        const least = leastWorthy(connection);
        if (least === undefined) return false;
        remove(least);
        least.close();
      }
      all.add(connection);
      insert(connection);
      return true;
    },
    update(connection, addressGroup = connection.addressGroup) {
      if (!all.has(connection)) return;
      const byAddress = connection.isTrusted ? trusted : strangers;
      const same = byAddress.get(connection.addressGroup);
      if (addressGroup === connection.addressGroup && same?.delete(connection)) {
        same.add(connection);
      } else {
        take(connection, strangers);
        take(connection, trusted);
        connection.addressGroup = addressGroup;
        insert(connection);
      }
    },
    remove,
  };
}

/** The first connection of the heaviest group; of several such groups, the one that was active longest ago. */
function heaviest<C extends OpenConnection>(
  strangers: Iterable<Set<C>>,
  trusted: Iterable<Set<C>>,
  now: number,
): C | undefined {
  let found: C | undefined;
  let most = 0;
  const weigh = (first: C | undefined, weight: number): void => {
    if (first === undefined || weight < most) return;
    if (weight === most && first.activeAt >= (found?.activeAt ?? 0)) return;
    found = first;
    most = weight;
  };
  for (const group of strangers) {
    const [first] = group;
    const isHeld = first !== undefined && now - first.activeAt >= graceMs;
    weigh(first, group.size * (isHeld ? strangerWeight : 1));
  }
  // Connections become busy and idle too often to group them in advance.
  for (const group of trusted) {
    let idle: C | undefined;
    let busy: C | undefined;
    let busySize = 0;
    for (const connection of group) {
      if (!connection.isBusy) idle ??= connection;
      else {
        busy ??= connection;
        busySize += 1;
      }
    }
    weigh(idle, group.size - busySize);
    weigh(busy, busySize * busyWeight);
  }
  return found;
}
