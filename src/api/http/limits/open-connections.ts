/**
 * Which connections stay open when there are too many: for each new one another is closed, so connections that are only held
 * keep nobody out. They are ranked in groups: all of one address that are trusted, and all that are not. The largest group loses
 * the one that was active longest ago; so whoever holds many connections competes with itself, whatever it knows.
 */

/** What is known of a connection here. */
export interface OpenConnection {
  /** Whom its address stands for. */
  readonly addressGroup: string;
  /** Whether it showed a valid key, or pinged a monitor, in a request that arrived completely. */
  isTrusted: boolean;
  /** Whether such a request is being answered, and the client takes the answer. */
  isBusy: boolean;
  /** When it was opened or sent its last request, monotonic milliseconds. */
  activeAt: number;
  close(): void;
}

export interface OpenConnections<C extends OpenConnection> {
  readonly all: ReadonlySet<C>;
  /** Connections that were closed for others so far, or not admitted. */
  readonly closed: number;
  /** Admits a new connection, closing another where there are too many; false if its own address keeps all others busy. */
  admit(connection: C): boolean;
  /** To be called after each change of a connection: a request came, was answered, showed a key. */
  update(connection: C): void;
  remove(connection: C): void;
}

/** How long a stranger has to show a valid key. A group whose idlest one had longer weighs several times what it holds. */
const graceMs = 2_000;
const strangerWeight = 4;
/** Answers to pings may be held back: many busy connections of one address are no reason to close another's. */
const busyWeight = 1 / 8;

/** Connections of one address that rank alike, the one that was active longest ago first. */
type Group<C> = Set<C>;

/** Makes the set of open connections, empty; `most` is how many there may be. */
export function createOpenConnections<C extends OpenConnection>(most: number): OpenConnections<C> {
  const all = new Set<C>();
  const groups = {
    stranger: new Map<string, Group<C>>(),
    trusted: new Map<string, Group<C>>(),
    /** Closed only for other addresses. */
    busy: new Map<string, Group<C>>(),
  };
  /** Where each is now. */
  const placeOf = new Map<C, Map<string, Group<C>>>();
  let closed = 0;

  function insert(connection: C): void {
    const { addressGroup, isTrusted, isBusy } = connection;
    const place = isTrusted ? groups[isBusy ? 'busy' : 'trusted'] : groups.stranger;
    placeOf.set(connection, place);
    const same = place.get(addressGroup);
    if (same === undefined) place.set(addressGroup, new Set([connection]));
    else same.add(connection);
  }

  function take(connection: C): void {
    const place = placeOf.get(connection);
    const same = place?.get(connection.addressGroup);
    same?.delete(connection);
    if (same?.size === 0) place?.delete(connection.addressGroup);
  }

  function remove(connection: C): void {
    if (!all.delete(connection)) return;
    take(connection);
    placeOf.delete(connection);
  }

  /** Whom a new connection replaces. */
  function leastWorthy({ addressGroup, activeAt: now }: C): C | undefined {
    const { stranger, trusted, busy } = groups;
    const every = [...stranger.values(), ...trusted.values(), ...busy.values()];
    const found = heaviest(every, now);
    if (found === undefined || !busy.get(addressGroup)?.has(found)) return found;
    const [idlest] = stranger.get(addressGroup) ?? trusted.get(addressGroup) ?? [];
    return idlest;
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
    update(connection) {
      if (!all.has(connection)) return;
      take(connection);
      insert(connection);
    },
    remove,
  };
}

/** The first connection of the group that weighs most; of several such groups the one that was active longest ago. */
function heaviest<C extends OpenConnection>(
  groups: Iterable<Group<C>>,
  now: number,
): C | undefined {
  let found: C | undefined;
  let most = 0;
  for (const group of groups) {
    const [first] = group;
    if (first === undefined) continue;
    const isHeld = !first.isTrusted && now - first.activeAt >= graceMs;
    const isBusy = first.isTrusted && first.isBusy;
    const weight = group.size * (isHeld ? strangerWeight : isBusy ? busyWeight : 1);
    if (weight < most || (weight === most && first.activeAt >= (found?.activeAt ?? 0))) continue;
    [found, most] = [first, weight];
  }
  return found;
}
