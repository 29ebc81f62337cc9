/**
 * The open connections, per origin. One connection carries one request at a time and is kept for the
 * next one. It is reused only for an address that is judged allowed at that moment.
 *
 * A server closes an idle connection when it likes. If that crosses with our request on the wire, the
 * request is lost and must not be sent again, and a job that runs each minute against a server that
 * closes after 60 s would lose one after the other. So an idle connection is trusted only for as long
 * as the server promised (Keep-Alive) or has been seen to keep one open.
 */
import type { Failure } from '../domain/runs/outcome.ts';
import { openConnection, type Connection } from './connection.ts';
import { DeadlineOver, type Deadline } from './deadline.ts';
import type { Dial, Origin } from './dial.ts';

/** What any server is taken to keep an idle connection for, until it has shown otherwise. */
const startingTrustMs = 6000;
/** A request must be under way this long before the server may close. */
const trustMarginMs = 2000;
/** A connection as fresh as this is used in any case. */
const alwaysTrustedMs = 1000;
const observeEveryMs = 5000;
/** Idle connections over all origins unless fewer are given; the one idle longest makes room. */
export const mostIdle = 2048;
/** Addresses tried for one request, the first included. */
const maxDials = 3;

interface Host {
  origin: Origin;
  /** Connections open or being opened. */
  open: number;
  /** The most recently used last. */
  idle: Connection[];
  /** Calls that wait for one of the `open` to be free; a Set is a queue one can leave. */
  waiting: Set<() => void>;
  /** How long this origin has been seen to keep an idle connection open. */
  trustMs: number;
}

/** The pool: take a connection, use it alone, give it back. */
export interface Pool extends AsyncDisposable {
  /** An idle connection to one of these judged addresses, if there is one that can be trusted. */
  takeIdle(origin: Origin, addresses: readonly string[]): Connection | null;
  /** An idle or new connection to one of these, or why there is none. Throws DeadlineOver. */
  takeAny(
    origin: Origin,
    addresses: readonly string[],
    deadline: Deadline,
  ): Promise<Connection | { failure: Failure }>;
  /** Keeps the connection for the next request, unless it is closing. */
  giveBack(connection: Connection): void;
}

/** Creates a pool of at most `connectionsPerHost` connections to one origin, and `maxIdle` idle ones. */
export function createPool(dial: Dial, connectionsPerHost: number, maxIdle = mostIdle): Pool {
  const hosts = new Map<string, Host>();
  const idleOldestFirst = new Set<Connection>();
  const openConnections = new Set<Connection>();
  let closed = false;
  const observing = setInterval(observe, observeEveryMs);
  observing.unref();

  function hostOf(origin: Origin): Host {
    let host = hosts.get(origin.key);
    if (host === undefined) {
      host = { origin, open: 0, idle: [], waiting: new Set(), trustMs: startingTrustMs };
      hosts.set(origin.key, host);
    }
    return host;
  }

  function observe(): void {
    const now = performance.now();
    for (const host of hosts.values()) {
      const oldest = host.idle[0];
      if (oldest !== undefined) host.trustMs = Math.max(host.trustMs, now - oldest.idleSince);
    }
  }

  function takeIdleOf(host: Host, addresses: readonly string[]): Connection | null {
    const now = performance.now();
    for (let index = host.idle.length - 1; index >= 0; index--) {
      const connection = host.idle[index];
      if (connection === undefined || connection.socket.destroyed) continue;
      const idleMs = now - connection.idleSince;
      const trusted =
        connection.keepAlivePromised ||
        idleMs < Math.max(alwaysTrustedMs, host.trustMs - trustMarginMs);
      if (!trusted || !addresses.includes(connection.address)) continue;
      host.idle.splice(index, 1);
      idleOldestFirst.delete(connection);
      return connection;
    }
    return null;
  }

  function onClosed(host: Host, connection: Connection): void {
    openConnections.delete(connection);
    idleOldestFirst.delete(connection);
    const index = host.idle.indexOf(connection);
    if (index !== -1) {
      host.idle.splice(index, 1);
      if (closedByPeer(connection)) {
        host.trustMs = Math.min(host.trustMs, performance.now() - connection.idleSince);
      }
    }
    freeSlot(host);
  }

  function freeSlot(host: Host): void {
    host.open--;
    wakeOne(host);
    if (host.open === 0 && host.waiting.size === 0) hosts.delete(host.origin.key);
  }

  function wakeOne(host: Host): void {
    for (const wake of host.waiting) {
      host.waiting.delete(wake);
      wake();
      break;
    }
  }

  /** Whoever was woken too late hands the turn on. */
  function wakeNext(origin: Origin): void {
    const host = hosts.get(origin.key);
    if (host !== undefined) wakeOne(host);
  }

  /** Waits in line until a connection or a slot is free, which others may still take first. */
  function waitInLine(host: Host, deadline: Deadline): Promise<void> {
    deadline.phase = 'waiting for a free connection';
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const wake = (): void => {
      deadline.onOver(null);
      resolve();
    };
    host.waiting.add(wake);
    deadline.onOver(() => {
      host.waiting.delete(wake);
      reject(new DeadlineOver());
    });
    return promise;
  }

  async function dialOneOf(
    host: Host,
    addresses: readonly string[],
    deadline: Deadline,
  ): Promise<Connection | { failure: Failure }> {
    const candidates = addresses.slice(0, maxDials);
    let failure: Failure = { reason: 'dns', detail: 'there is no address' };
    for (const [index, address] of candidates.entries()) {
      // Nothing has been sent yet, so a silent address must not use up the time of the next one.
      const others = candidates.length - 1 - index;
      const remainingMs = deadline.remainingMs();
      const connectMs = others === 0 ? null : remainingMs / 2;
      const dialled = await dial(host.origin, address, deadline, connectMs);
      if ('socket' in dialled) {
        const connection = openConnection(host.origin, address, dialled);
        openConnections.add(connection);
        dialled.socket.once('close', () => onClosed(host, connection));
        return connection;
      }
      failure = dialled.failure;
      if (!dialled.unreachable) break;
    }
    return { failure };
  }

  async function openNew(
    host: Host,
    addresses: readonly string[],
    deadline: Deadline,
  ): Promise<Connection | { failure: Failure }> {
    let taken: Awaited<ReturnType<typeof dialOneOf>> | null = null;
    try {
      taken = await dialOneOf(host, addresses, deadline);
      return taken;
    } finally {
      if (taken === null || 'failure' in taken) freeSlot(host);
    }
  }

  return {
    takeIdle(origin, addresses) {
      const host = hosts.get(origin.key);
      return host === undefined || host.waiting.size > 0 ? null : takeIdleOf(host, addresses);
    },

    async takeAny(origin, addresses, deadline) {
      // Whoever comes now does not overtake those who wait.
      const inFront = hosts.get(origin.key);
      if (inFront !== undefined && inFront.waiting.size > 0) await waitInLine(inFront, deadline);
      for (;;) {
        if (deadline.over !== null) wakeNext(origin);
        deadline.check();
        const host = hostOf(origin);
        const connection = takeIdleOf(host, addresses);
        if (connection !== null) return connection;
        if (host.open < connectionsPerHost) {
          host.open++;
          return openNew(host, addresses, deadline);
        }
        // An idle connection that cannot be used is in the way; its slot is free once it is closed.
        host.idle[0]?.socket.destroy();
        await waitInLine(host, deadline);
      }
    },

    giveBack(connection) {
      const host = hosts.get(connection.origin.key);
      if (host === undefined || connection.socket.destroyed) return;
      if (closed) {
        connection.socket.destroy();
        return;
      }
      connection.idleSince = performance.now();
      host.idle.push(connection);
      idleOldestFirst.add(connection);
      if (idleOldestFirst.size > maxIdle) {
        for (const oldest of idleOldestFirst) {
          idleOldestFirst.delete(oldest);
          oldest.socket.destroy();
          break;
        }
      }
      wakeOne(host);
    },

    async [Symbol.asyncDispose]() {
      closed = true;
      clearInterval(observing);
      const closing = [...openConnections].map((connection) => {
        const { promise, resolve } = Promise.withResolvers<void>();
        connection.socket.once('close', () => resolve());
        connection.socket.destroy();
        return promise;
      });
      await Promise.all(closing);
    },
  };
}

function closedByPeer({ socket }: Connection): boolean {
  const error = socket.errored;
  return socket.readableEnded || (error !== null && 'code' in error && error.code === 'ECONNRESET');
}
